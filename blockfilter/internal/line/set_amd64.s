//go:build !purego

// Kernels that set probes. A group's positions are computed at once, one to a
// 32-bit lane. Each position p becomes a line with one bit: word j of it is 1 <<
// (p - 32j), which is 0 for shifts below 0 or above 31. A key takes 0.70 of the
// portable code's time at 6 probes; with AVX2, two registers to a line, 1.02.

#include "go_asm.h"
#include "textflag.h"

// POSITIONS leaves in R13 the address of 64 bytes on the stack that are one cache
// line: numbers are loaded from two lines at three times the cost.
#define POSITIONS \
	LEAQ positions-65(SP), R13 \
	ANDQ $-64, R13

// SET sets in a line the bits at count positions, which are 32-bit numbers in
// memory. It uses t, and expects 1 in each lane of Z18 and 32j in those of Z19.
#define SET(loop, positions, count, t, line) \
loop: \
	VPBROADCASTD (positions), t \
	VPSUBD Z19, t, t \
	VPSLLVD t, Z18, t \
	VPORD t, line, line \
	ADDQ $4, positions \
	DECQ count \
	JNZ loop

// func addAVX512(lines *byte, n uint64, hashes *uint64, count, k int)
TEXT ·addAVX512(SB), NOSPLIT, $128-40
	MOVQ lines+0(FP), DI
	MOVQ n+8(FP), R8
	MOVQ hashes+16(FP), SI
	MOVQ count+24(FP), CX
	MOVQ k+32(FP), R9
	MOVQ $const_multiplier, R10
	VMOVDQU32 ·multiples(SB), Z16
	VMOVDQU32 ·tetrahedrals(SB), Z17
	VPBROADCASTD ·lanes(SB), Z18 // 1 in each lane
	VPSLLD $5, Z16, Z19 // 32j, the first bit of word j
	POSITIONS

key512:
	MOVQ (SI), BX
	ADDQ $8, SI
	MOVQ BX, AX
	MULQ R8
	SHLQ $6, DX
	ADDQ DI, DX // the key's line
	VMOVDQU32 (DX), Z20
	VPBROADCASTD BX, Z21 // h2
	IMULQ R10, BX
	SHRQ $32, BX
	VPBROADCASTD BX, Z22 // h1
	VPMULLD Z16, Z21, Z21
	VPADDD Z17, Z22, Z22
	VPADDD Z21, Z22, Z21
	VPSRLD $23, Z21, Z21
	VMOVDQU32 Z21, (R13)
	MOVQ R13, R11
	MOVQ R9, R12

	SET(probe512, R11, R12, Z21, Z20)
	VMOVDQU32 Z20, (DX)
	DECQ CX
	JNZ key512
	RET

// func masksAVX512(masks *Mask, hashes *uint64, n, k, choices int)
TEXT ·masksAVX512(SB), NOSPLIT, $128-40
	MOVQ masks+0(FP), DI
	MOVQ hashes+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ k+24(FP), R8
	MOVQ choices+32(FP), R9
	MOVQ $const_multiplier, R10
	VPBROADCASTD ·lanes(SB), Z18 // 1 in each lane
	VPSLLD $5, ·multiples(SB), Z19 // 32j, the first bit of word j
	POSITIONS

maskKey512:
	MOVQ (SI), AX
	ADDQ $8, SI
	VPBROADCASTD AX, Z16 // h2
	IMULQ R10, AX
	SHRQ $32, AX
	VPBROADCASTD AX, Z17 // h1
	LEAQ ·multiples(SB), R11
	LEAQ ·tetrahedrals(SB), R12
	MOVQ R9, DX

maskGroup512:
	VPMULLD (R11), Z16, Z20
	VPADDD (R12), Z17, Z21
	VPADDD Z20, Z21, Z20
	VPSRLD $23, Z20, Z20
	VMOVDQU32 Z20, (R13)
	VPXORD Z20, Z20, Z20
	MOVQ R13, BX
	MOVQ R8, AX
	SET(maskProbe512, BX, AX, Z21, Z20)
	VMOVDQU32 Z20, (DI)
	ADDQ $64, DI
	ADDQ $64, R11
	ADDQ $64, R12
	DECQ DX
	JNZ maskGroup512
	DECQ CX
	JNZ maskKey512
	RET
