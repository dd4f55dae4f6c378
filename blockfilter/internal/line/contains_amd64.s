//go:build !purego

// Two kernels for MayContain. Both compute all probes of a group at once, one to
// a 32-bit lane, fetch the 32-bit word of the line that each probe falls in by a
// permutation of the line itself, and test all bits together. No branch depends
// on the data.
//
// Lane i of group g computes
//
//	x = h1 + (16g+i)·h2 + T(16g+i)·2²³  mod 2³²
//
// from two tables of constants, multiples and tetrahedrals. The top 4 bits of
// x number a word, the next 5 a bit in it. Lanes from k on are ignored.

#include "go_asm.h"
#include "textflag.h"

// EIGHT leaves in Y9 the bits that eight probes test and that are 0. The probes
// are those from offset on of the tables, and bit is 1 in their lanes.
#define EIGHT(offset, bit) \
	VPMULLD offset(R9), Y2, Y6 \
	VPADDD offset(R10), Y3, Y7 \
	VPADDD Y6, Y7, Y6 \
	VPSRLD $28, Y6, Y7 \
	VPERMD Y0, Y7, Y8 \
	VPERMD Y1, Y7, Y9 \
	VBLENDVPS Y6, Y9, Y8, Y8 \
	VPSLLD $4, Y6, Y6 \
	VPSRLD $27, Y6, Y6 \
	VPSLLVD Y6, bit, Y9 \
	VPANDN Y9, Y8, Y9

// func MayContain(block []byte, h uint64) bool
//
// It checks in assembly that the trailer describes the lines, as describes does
// in Go, and goes on to the widest kernel: a frame of Go's in between costs as
// much as the checks, a tenth of a query.
TEXT ·MayContain(SB), NOSPLIT, $0-33
	MOVQ block_base+0(FP), SI
	MOVQ block_len+8(FP), DX
	SUBQ $const_trailerSize, DX
	LEAQ (SI)(DX*1), DI // the trailer
	MOVQ const_geometryOffset(DI), CX // the number of lines
	MOVL const_probesOffset(DI), AX // k and choices in its low bytes
	SUBL $0x0101, AX
	TESTL $0xfcf0, AX // k-1 above 15, or choices-1 above 3
	JNZ malformed
	LEAQ -1(CX), AX
	SHRQ $56, AX // no lines, or too many for their bytes to have a number
	JNZ malformed
	MOVQ CX, AX
	SHLQ $6, CX
	CMPQ CX, DX
	JNE malformed
	MOVQ h+24(FP), BX // h2
	MULQ BX
	SHLQ $6, DX
	ADDQ DX, SI // the key's line
	MOVQ $const_multiplier, AX
	IMULQ BX, AX
	SHRQ $32, AX // h1
	MOVBLZX const_probesOffset(DI), CX // k
	MOVBLZX const_choicesOffset(DI), DX // choices
	LEAQ ·multiples(SB), R9
	LEAQ ·tetrahedrals(SB), R10
	XORL R12, R12
	XORL R13, R13 // found
	CMPB ·useAVX512(SB), $0
	JEQ narrower

	// The line is one register, so one permutation fetches the words of 16
	// probes. Registers from Z16 on need no VZEROUPPER.
	VMOVDQU32 (SI), Z16
	VPBROADCASTD BX, Z17
	VPBROADCASTD AX, Z18
	MOVL $-1, R8
	BZHIL CX, R8, R8 // lanes below k

group512:
	VPMULLD (R9), Z17, Z19
	VPADDD (R10), Z18, Z20
	VPADDD Z19, Z20, Z19 // x
	VPSRLD $28, Z19, Z20
	VPERMD Z16, Z20, Z20 // words
	VPSRLD $23, Z19, Z21
	VPRORVD Z21, Z20, Z20 // counts modulo 32: the bit becomes bit 0
	VPTESTNMD.BCST ·lanes(SB), Z20, K1 // lanes whose bit is 0
	KMOVW K1, R11
	TESTL R8, R11
	SETEQ R12
	ORL R12, R13
	ADDQ $64, R9
	ADDQ $64, R10
	DECQ DX
	JNZ group512
	MOVB R13, ret+32(FP)
	RET

	// The line is two registers of 8 words. A permutation of each and a blend
	// by the top bit of x, which tells the halves apart, fetch 8 words; groups
	// of more than 8 probes take a second step.
narrower:
	CMPB ·useAVX2(SB), $0
	JEQ portable
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	VMOVQ BX, X2
	VPBROADCASTD X2, Y2
	VMOVQ AX, X3
	VPBROADCASTD X3, Y3
	LEAQ ·lanes(SB), R8
	MOVQ CX, R11
	NEGQ R11
	VMOVDQU 64(R8)(R11*4), Y4 // 1 in lanes below k, of 0 to 7
	VMOVDQU 96(R8)(R11*4), Y5 // and of 8 to 15

group256:
	EIGHT(0, Y4)
	VMOVDQU Y9, Y10
	CMPQ CX, $8
	JLE test256
	EIGHT(32, Y5)
	VPOR Y9, Y10, Y10

test256:
	VPTEST Y10, Y10
	SETEQ R12
	ORL R12, R13
	ADDQ $64, R9
	ADDQ $64, R10
	DECQ DX
	JNZ group256
	VZEROUPPER
	MOVB R13, ret+32(FP)
	RET

portable:
	JMP ·containsGeneric(SB)

malformed:
	MOVB $1, ret+32(FP)
	RET
