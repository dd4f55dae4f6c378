//go:build !purego

// Kernels for the optimiser: a mask is one register. They use registers from
// Z16 on, which need no VZEROUPPER.

#include "textflag.h"

// func stackPopularAVX512(later *mask, n int, masks *mask, count int)
TEXT ·stackPopularAVX512(SB), NOSPLIT, $0-32
	MOVQ later+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ masks+16(FP), SI
	MOVQ count+24(FP), DX
	VPXORQ Z16, Z16, Z16 // ones
	VPXORQ Z17, Z17, Z17 // twos
	VPXORQ Z18, Z18, Z18 // fours

count:
	VMOVDQU64 (SI), Z19
	VPANDQ Z16, Z19, Z20 // carry
	VPXORQ Z16, Z19, Z16
	VPTERNLOGQ $0xf8, Z20, Z17, Z18 // fours |= twos & carry
	VPXORQ Z17, Z20, Z17
	ADDQ $64, SI
	DECQ DX
	JNZ count

fill:
	VMOVDQU64 Z18, (DI)
	ADDQ $64, DI
	DECQ CX
	JNZ fill
	RET

// func stackChosenAVX512(later *mask, n int, masks *mask, choices int, chosen *uint8)
TEXT ·stackChosenAVX512(SB), NOSPLIT, $0-40
	MOVQ later+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ masks+16(FP), SI
	MOVQ choices+24(FP), DX
	MOVQ chosen+32(FP), R8
	SHLQ $6, DX // bytes of a key's masks
	MOVQ CX, AX
	SHLQ $6, AX
	ADDQ AX, DI // the end of later
	MOVQ CX, AX
	IMULQ DX, AX
	ADDQ AX, SI // the end of masks
	VPXORQ Z16, Z16, Z16

stack:
	SUBQ $64, DI
	SUBQ DX, SI
	VMOVDQU64 Z16, (DI)
	MOVBLZX -1(R8)(CX*1), AX
	SHLQ $6, AX
	VPORQ (SI)(AX*1), Z16, Z16
	DECQ CX
	JNZ stack
	RET

// COUNT puts, in every lane of n, the rank of the group whose mask is at
// offset(SI): 16 times its new ones plus its place in the order of groups.
// Z17 is what other keys hold, and swapped a scratch register.
#define COUNT(offset, place, n, swapped) \
	VPANDNQ offset(SI), Z17, n        \
	VPOPCNTQ n, n                     \
	VSHUFI64X2 $0x4e, n, n, swapped   \
	VPADDQ swapped, n, n              \
	VSHUFI64X2 $0xb1, n, n, swapped   \
	VPADDQ swapped, n, n              \
	VPSHUFD $0x4e, n, swapped         \
	VPADDQ swapped, n, n              \
	VPSLLQ $4, n, n                   \
	VPORQ.BCST place(R10), n, n

// TAKE adds the mask at offset(SI) to the union if its group has the best rank.
#define TAKE(offset, n, best, k) \
	VPCMPEQQ n, best, k           \
	VPORQ offset(SI), Z16, k, Z16

// NEXT starts a key: R10 is the order of its groups and Z17 what others hold.
#define NEXT() \
	MOVBLZX (R8), R10    \
	SHLQ $5, R10         \
	ADDQ R11, R10        \
	VPORQ (DI), Z16, Z17

// CHOSE ends a key, of choices groups, and goes to the loop's next.
#define CHOSE(best, choices, loop) \
	VMOVQ best, AX          \
	ANDL $3, AX             \
	MOVB AX, (R8)           \
	INCQ R8                 \
	ADDQ $64, DI            \
	ADDQ $(64*choices), SI  \
	DECQ CX                 \
	JNZ loop

// FIRST starts a key and counts for its first two groups.
#define FIRST() \
	NEXT() \
	COUNT(0, 0, Z18, Z22) \
	COUNT(64, 8, Z19, Z23)

// func roundAVX512(union *mask, masks *mask, choices int, later *mask, chosen *uint8, n int)
TEXT ·roundAVX512(SB), NOSPLIT, $0-48
	MOVQ union+0(FP), R9
	MOVQ masks+8(FP), SI
	MOVQ choices+16(FP), DX
	MOVQ later+24(FP), DI
	MOVQ chosen+32(FP), R8
	MOVQ n+40(FP), CX
	LEAQ ·order(SB), R11
	VPXORQ Z16, Z16, Z16 // union
	CMPQ DX, $3
	JE three
	JA four

two:
	FIRST()
	VPMINUQ Z18, Z19, Z20
	TAKE(0, Z18, Z20, K1)
	TAKE(64, Z19, Z20, K2)
	CHOSE(X20, 2, two)
	JMP done

three:
	FIRST()
	COUNT(128, 16, Z20, Z24)
	VPMINUQ Z18, Z19, Z21
	VPMINUQ Z20, Z21, Z21
	TAKE(0, Z18, Z21, K1)
	TAKE(64, Z19, Z21, K2)
	TAKE(128, Z20, Z21, K3)
	CHOSE(X21, 3, three)
	JMP done

four:
	FIRST()
	COUNT(128, 16, Z20, Z24)
	COUNT(192, 24, Z21, Z25)
	VPMINUQ Z18, Z19, Z26
	VPMINUQ Z20, Z21, Z27
	VPMINUQ Z26, Z27, Z26
	TAKE(0, Z18, Z26, K1)
	TAKE(64, Z19, Z26, K2)
	TAKE(128, Z20, Z26, K3)
	TAKE(192, Z21, Z26, K4)
	CHOSE(X26, 4, four)

done:
	VMOVDQU64 Z16, (R9)
	RET
