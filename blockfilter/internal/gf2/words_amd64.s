//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// ROWS transposes eight matrices of 8x8 bits, of eight rows of 64 bits.
#define ROWS(rows, z) \
	VPERMB rows, Z16, z \
	VGF2P8AFFINEQB $0, z, Z17, z

// STORE stores the words of z, of which x is the first quarter.
#define STORE(x, z, at) \
	VMOVDQU64 x, at(DI) \
	VEXTRACTI64X2 $1, z, at+128(DI) \
	VEXTRACTI64X2 $2, z, at+256(DI) \
	VEXTRACTI64X2 $3, z, at+384(DI)

// func transposeGFNI(to, from *[64]uint64)
//
// Eight rows of 64 bits are a register. A permutation of its bytes makes eight
// matrices of 8x8 bits, which one multiplication transposes; what follows collects
// the bytes of each column from the eight registers.
TEXT ·transposeGFNI(SB), NOSPLIT, $0-16
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	VMOVDQU64 ·turned(SB), Z16
	VPBROADCASTQ ·units(SB), Z17
	ROWS(0(SI), Z0)
	ROWS(64(SI), Z1)
	ROWS(128(SI), Z2)
	ROWS(192(SI), Z3)
	ROWS(256(SI), Z4)
	ROWS(320(SI), Z5)
	ROWS(384(SI), Z6)
	ROWS(448(SI), Z7)
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
	STORE(X18, Z18, 0)
	STORE(X19, Z19, 16)
	STORE(X20, Z20, 32)
	STORE(X21, Z21, 48)
	STORE(X22, Z22, 64)
	STORE(X23, Z23, 80)
	STORE(X24, Z24, 96)
	STORE(X25, Z25, 112)
	VZEROUPPER
	RET

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

	VMOVDQU ·pairs(SB), Y4
	VMOVDQU ·neighbours(SB), Y5
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

// func eliminateAVX2(w *Words, last, first, values int, equations uint64) (left uint64)
//
// R9 is the current slot, AX the word that its pivot adds to others, BX the bit
// of the pivot. The slots follow the values, of which the last ones count: both
// are one array of words. Registers of 512 bits in place of 256 take as long. A
// loop that lies in two cache lines takes a third longer.
TEXT ·eliminateAVX2(SB), NOSPLIT, $0-48
	MOVQ w+0(FP), SI
	MOVQ last+8(FP), R10
	MOVQ first+16(FP), R9
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

	PCALIGN $64
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
