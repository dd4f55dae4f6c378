//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The place of byte i of a qword of 8x8 bytes in its transposed one, from the
// last row to the first.
DATA ·turned<>+0(SB)/8, $0x0008101820283038
DATA ·turned<>+8(SB)/8, $0x0109111921293139
DATA ·turned<>+16(SB)/8, $0x020a121a222a323a
DATA ·turned<>+24(SB)/8, $0x030b131b232b333b
DATA ·turned<>+32(SB)/8, $0x040c141c242c343c
DATA ·turned<>+40(SB)/8, $0x050d151d252d353d
DATA ·turned<>+48(SB)/8, $0x060e161e262e363e
DATA ·turned<>+56(SB)/8, $0x070f171f272f373f
GLOBL ·turned<>(SB), RODATA|NOPTR, $64

// A byte for each column of an 8x8 matrix of bits.
DATA ·units<>+0(SB)/8, $0x8040201008040201
GLOBL ·units<>(SB), RODATA|NOPTR, $8

// func transposeGFNI(to, from *[64]uint64)
//
// Eight rows of 64 bits are a register. A permutation of its bytes makes eight
// matrices of 8x8 bits, which one multiplication transposes; what follows collects
// the bytes of each column from the eight registers.
TEXT ·transposeGFNI(SB), NOSPLIT, $0-16
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	VMOVDQU64 ·turned<>(SB), Z16
	VPBROADCASTQ ·units<>(SB), Z17
	VPERMB 0(SI), Z16, Z0
	VPERMB 64(SI), Z16, Z1
	VPERMB 128(SI), Z16, Z2
	VPERMB 192(SI), Z16, Z3
	VPERMB 256(SI), Z16, Z4
	VPERMB 320(SI), Z16, Z5
	VPERMB 384(SI), Z16, Z6
	VPERMB 448(SI), Z16, Z7
	VGF2P8AFFINEQB $0, Z0, Z17, Z0
	VGF2P8AFFINEQB $0, Z1, Z17, Z1
	VGF2P8AFFINEQB $0, Z2, Z17, Z2
	VGF2P8AFFINEQB $0, Z3, Z17, Z3
	VGF2P8AFFINEQB $0, Z4, Z17, Z4
	VGF2P8AFFINEQB $0, Z5, Z17, Z5
	VGF2P8AFFINEQB $0, Z6, Z17, Z6
	VGF2P8AFFINEQB $0, Z7, Z17, Z7
	VPUNPCKLBW Z1, Z0, Z18
	VPUNPCKHBW Z1, Z0, Z19
	VPUNPCKLBW Z3, Z2, Z20
	VPUNPCKHBW Z3, Z2, Z21
	VPUNPCKLBW Z5, Z4, Z22
	VPUNPCKHBW Z5, Z4, Z23
	VPUNPCKLBW Z7, Z6, Z24
	VPUNPCKHBW Z7, Z6, Z25
	VPUNPCKLWD Z20, Z18, Z0
	VPUNPCKHWD Z20, Z18, Z1
	VPUNPCKLWD Z21, Z19, Z2
	VPUNPCKHWD Z21, Z19, Z3
	VPUNPCKLWD Z24, Z22, Z4
	VPUNPCKHWD Z24, Z22, Z5
	VPUNPCKLWD Z25, Z23, Z6
	VPUNPCKHWD Z25, Z23, Z7
	VPUNPCKLDQ Z4, Z0, Z18
	VPUNPCKHDQ Z4, Z0, Z19
	VPUNPCKLDQ Z5, Z1, Z20
	VPUNPCKHDQ Z5, Z1, Z21
	VPUNPCKLDQ Z6, Z2, Z22
	VPUNPCKHDQ Z6, Z2, Z23
	VPUNPCKLDQ Z7, Z3, Z24
	VPUNPCKHDQ Z7, Z3, Z25
	VMOVDQU64 X18, 0(DI)
	VEXTRACTI64X2 $1, Z18, 128(DI)
	VEXTRACTI64X2 $2, Z18, 256(DI)
	VEXTRACTI64X2 $3, Z18, 384(DI)
	VMOVDQU64 X19, 16(DI)
	VEXTRACTI64X2 $1, Z19, 144(DI)
	VEXTRACTI64X2 $2, Z19, 272(DI)
	VEXTRACTI64X2 $3, Z19, 400(DI)
	VMOVDQU64 X20, 32(DI)
	VEXTRACTI64X2 $1, Z20, 160(DI)
	VEXTRACTI64X2 $2, Z20, 288(DI)
	VEXTRACTI64X2 $3, Z20, 416(DI)
	VMOVDQU64 X21, 48(DI)
	VEXTRACTI64X2 $1, Z21, 176(DI)
	VEXTRACTI64X2 $2, Z21, 304(DI)
	VEXTRACTI64X2 $3, Z21, 432(DI)
	VMOVDQU64 X22, 64(DI)
	VEXTRACTI64X2 $1, Z22, 192(DI)
	VEXTRACTI64X2 $2, Z22, 320(DI)
	VEXTRACTI64X2 $3, Z22, 448(DI)
	VMOVDQU64 X23, 80(DI)
	VEXTRACTI64X2 $1, Z23, 208(DI)
	VEXTRACTI64X2 $2, Z23, 336(DI)
	VEXTRACTI64X2 $3, Z23, 464(DI)
	VMOVDQU64 X24, 96(DI)
	VEXTRACTI64X2 $1, Z24, 224(DI)
	VEXTRACTI64X2 $2, Z24, 352(DI)
	VEXTRACTI64X2 $3, Z24, 480(DI)
	VMOVDQU64 X25, 112(DI)
	VEXTRACTI64X2 $1, Z25, 240(DI)
	VEXTRACTI64X2 $2, Z25, 368(DI)
	VEXTRACTI64X2 $3, Z25, 496(DI)
	VZEROUPPER
	RET

// Which bits of four rows take part when pairs of rows, and when neighbours,
// swap their squares.
DATA ·pairs<>+0(SB)/8, $0xcccccccccccccccc
DATA ·pairs<>+8(SB)/8, $0xcccccccccccccccc
DATA ·pairs<>+16(SB)/8, $0x3333333333333333
DATA ·pairs<>+24(SB)/8, $0x3333333333333333
GLOBL ·pairs<>(SB), RODATA|NOPTR, $32

DATA ·neighbours<>+0(SB)/8, $0xaaaaaaaaaaaaaaaa
DATA ·neighbours<>+8(SB)/8, $0x5555555555555555
DATA ·neighbours<>+16(SB)/8, $0xaaaaaaaaaaaaaaaa
DATA ·neighbours<>+24(SB)/8, $0x5555555555555555
GLOBL ·neighbours<>(SB), RODATA|NOPTR, $32

// func transposeAVX2(words *[64]uint64)
//
// It is transposeGeneric, four rows at once: squares of 4 bits and more are
// swapped between registers, those of 2 bits and of 1 within them.
TEXT ·transposeAVX2(SB), NOSPLIT, $0-8
	MOVQ words+0(FP), DI
	MOVQ $32, R8 // the size of the squares
	VPCMPEQD Y3, Y3, Y3
	VPSRLQ $32, Y3, Y3

squares:
	VMOVQ R8, X4
	MOVQ R8, R9
	NOTQ R9
	XORQ CX, CX

rows:
	LEAQ (CX)(R8*1), DX
	VMOVDQU (DI)(CX*8), Y0
	VMOVDQU (DI)(DX*8), Y1
	VPSRLQ X4, Y0, Y2
	VPXOR Y1, Y2, Y2
	VPAND Y3, Y2, Y2
	VPXOR Y2, Y1, Y1
	VPSLLQ X4, Y2, Y2
	VPXOR Y2, Y0, Y0
	VMOVDQU Y0, (DI)(CX*8)
	VMOVDQU Y1, (DI)(DX*8)
	LEAQ 4(DX), CX
	ANDQ R9, CX
	CMPQ CX, $64
	JLT rows
	SHRQ $1, R8
	VMOVQ R8, X4
	VPSLLQ X4, Y3, Y2
	VPXOR Y2, Y3, Y3
	CMPQ R8, $4
	JGE squares

	VMOVDQU ·pairs<>(SB), Y4
	VMOVDQU ·neighbours<>(SB), Y5
	MOVQ $60, CX

four:
	VMOVDQU (DI)(CX*8), Y0
	VPERMQ $0x4e, Y0, Y1
	VPSLLQ $2, Y1, Y2
	VPSRLQ $2, Y1, Y1
	VPBLENDD $0x0f, Y2, Y1, Y1
	VPXOR Y0, Y1, Y1
	VPAND Y4, Y1, Y1
	VPXOR Y1, Y0, Y0
	VPERMQ $0xb1, Y0, Y1
	VPSLLQ $1, Y1, Y2
	VPSRLQ $1, Y1, Y1
	VPBLENDD $0x33, Y2, Y1, Y1
	VPXOR Y0, Y1, Y1
	VPAND Y5, Y1, Y1
	VPXOR Y1, Y0, Y0
	VMOVDQU Y0, (DI)(CX*8)
	SUBQ $4, CX
	JGE four
	VZEROUPPER
	RET

// func eliminateAVX2(w *Words, to, from, values int, equations uint64) (left uint64)
//
// R9 is the current slot, AX the word that its pivot adds to others, BX the bit
// of the pivot. Slots lie behind the values, of which the last ones count: both
// are one array of words. Registers of 512 bits in place of 256 take as long. A
// loop that is not aligned takes 5 % longer.
TEXT ·eliminateAVX2(SB), NOSPLIT, $0-48
	MOVQ w+0(FP), SI
	MOVQ to+8(FP), R10
	MOVQ from+16(FP), R9
	MOVQ values+24(FP), R11
	MOVQ equations+32(FP), R8
	LEAQ Words_Pivots(SI), DI
	ADDQ $Words_Slots, SI
	NEGQ R11
	ANDQ $-4, R11 // the first word

slot:
	MOVQ (SI)(R9*8), AX
	MOVQ AX, BX
	ANDQ R8, BX
	JZ next
	BLSIQ BX, BX
	XORQ BX, AX
	XORQ BX, R8
	TZCNTQ BX, CX
	MOVB CX, (DI)(R9*1)
	VMOVQ BX, X1
	VMOVQ AX, X2
	VPBROADCASTQ X1, Y1
	VPBROADCASTQ X2, Y2
	MOVQ R9, CX
	ANDQ $-4, CX

	PCALIGN $32
words:
	VMOVDQU (SI)(CX*8), Y0
	VPAND Y1, Y0, Y3
	VPCMPEQQ Y1, Y3, Y3
	VPAND Y2, Y3, Y3
	VPXOR Y3, Y0, Y0
	VMOVDQU Y0, (SI)(CX*8)
	SUBQ $4, CX
	CMPQ CX, R11
	JGE words

next:
	DECQ R9
	CMPQ R9, R10
	JGE slot
	MOVQ R8, left+40(FP)
	VZEROUPPER
	RET
