//go:build !purego

#include "textflag.h"

// Of lanes 0 to 3, which hold the first words of four columns, and of lanes 4 to
// 7, which hold the second ones: the bit where they start but for the columns'
// lengths, the columns, the shifts but for the slots, and the bits that the
// window does not choose.
DATA ·starts<>+0(SB)/8, $16
DATA ·starts<>+8(SB)/8, $16
DATA ·starts<>+16(SB)/8, $16
DATA ·starts<>+24(SB)/8, $16
DATA ·starts<>+32(SB)/8, $80
DATA ·starts<>+40(SB)/8, $80
DATA ·starts<>+48(SB)/8, $80
DATA ·starts<>+56(SB)/8, $80
GLOBL ·starts<>(SB), RODATA|NOPTR, $64

DATA ·columns<>+0(SB)/8, $0
DATA ·columns<>+8(SB)/8, $1
DATA ·columns<>+16(SB)/8, $2
DATA ·columns<>+24(SB)/8, $3
DATA ·columns<>+32(SB)/8, $0
DATA ·columns<>+40(SB)/8, $1
DATA ·columns<>+48(SB)/8, $2
DATA ·columns<>+56(SB)/8, $3
GLOBL ·columns<>(SB), RODATA|NOPTR, $64

DATA ·shifts<>+0(SB)/8, $64
DATA ·shifts<>+8(SB)/8, $64
DATA ·shifts<>+16(SB)/8, $64
DATA ·shifts<>+24(SB)/8, $64
DATA ·shifts<>+32(SB)/8, $128
DATA ·shifts<>+40(SB)/8, $128
DATA ·shifts<>+48(SB)/8, $128
DATA ·shifts<>+56(SB)/8, $128
GLOBL ·shifts<>(SB), RODATA|NOPTR, $64

DATA ·chosen<>+0(SB)/8, $-64
DATA ·chosen<>+8(SB)/8, $-64
DATA ·chosen<>+16(SB)/8, $-64
DATA ·chosen<>+24(SB)/8, $-64
DATA ·chosen<>+32(SB)/8, $-1
DATA ·chosen<>+40(SB)/8, $-1
DATA ·chosen<>+48(SB)/8, $-1
DATA ·chosen<>+56(SB)/8, $-1
GLOBL ·chosen<>(SB), RODATA|NOPTR, $64

DATA ·one<>+0(SB)/8, $1
GLOBL ·one<>(SB), RODATA|NOPTR, $8

// func containsAVX512(line *byte, h uint64) bool
//
// The line is one register. A step fetches four columns of 128 bits: the words
// that each begins in by a permutation of the line, those after them by
// another, and a double shift by the bit. Words behind the line are zero. All but
// one in 16 absent keys end after one step.
TEXT ·containsAVX512(SB), NOSPLIT, $0-17
	MOVQ line+0(FP), SI
	MOVQ h+8(FP), AX
	MOVWLZX (SI), CX // the header
	MOVQ $0x9e3779b97f4a7c15, DX
	IMULQ DX, AX
	MOVQ AX, BX
	SHRQ $32, BX
	XORQ BX, AX // y
	MOVQ $0x6a09e667f3bcc909, R10
	IMULQ AX, R10 // z
	MOVQ $0xbb67ae8584caa73b, R11
	IMULQ AX, R11 // x
	MOVL CX, R8
	ANDL $127, R8 // m

	VPBROADCASTQ R8, Z17
	VPMULUDQ ·columns<>(SB), Z17, Z22
	VPADDQ ·starts<>(SB), Z22, Z22 // where columns start
	VPSLLQ $2, Z17, Z25 // a step
	VMOVDQU64 (SI), Z20
	VPXORQ Z21, Z21, Z21

	// The row's two words.
	MOVL $0xf0, DX
	KMOVB DX, K1
	KNOTB K1, K2
	VPBROADCASTQ AX, Z16
	VPBROADCASTQ R10, K1, Z16
	VMOVDQU64 ·shifts<>(SB), Z18
	VPSUBQ Z17, Z18, Z18
	VPMAXSQ Z21, Z18, Z18
	VPSRLVQ Z18, Z16, Z16
	MOVL CX, DX
	SHRL $7, DX
	ANDL $15, DX
	ADDL $6, DX
	SHRXQ DX, R11, DX
	ANDL $63, DX // the coefficients that the window chooses
	VPBROADCASTQ.Z DX, K2, Z19
	VPTERNLOGQ $0xec, ·chosen<>(SB), Z19, Z16

	// The number of columns that the key has.
	LEAQ ·columnsOf(SB), DI
	MOVBLZX (DI)(R8*1), R9
	MOVQ R11, DX
	SHRQ $27, DX
	ANDL $31, DX // its part
	SHRL $11, CX // the share
	CMPL DX, CX
	ADCL $0, R9
	SHRQ $32, R11 // its fingerprint

step:
	VPSRLQ $6, Z22, Z23
	VPADDQ.BCST ·one<>(SB), Z23, Z24
	VPERMI2Q Z21, Z20, Z23
	VPERMI2Q Z21, Z20, Z24
	VPSHRDVQ Z22, Z24, Z23
	VPANDQ Z16, Z23, Z23
	VPOPCNTQ Z23, Z23
	VPTESTMQ.BCST ·one<>(SB), Z23, K3
	KMOVB K3, AX
	MOVL AX, DX
	SHRL $4, DX
	XORL DX, AX
	XORL R11, AX // bits of columns that differ
	CMPL R9, $4
	JLE last
	TESTL $15, AX
	JNZ absent
	SHRL $4, R11
	SUBL $4, R9
	VPADDQ Z25, Z22, Z22
	JMP step

last:
	BZHIL R9, AX, AX
	TESTL AX, AX
	SETEQ ret+16(FP)
	RET

absent:
	MOVB $0, ret+16(FP)
	RET
