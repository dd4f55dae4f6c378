//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// KEY leaves in DX what the header, R10, makes of the key's hash: the coefficients
// that the window chooses, which are six bits from bit 6 + w of R11 on. It adds
// one to R9 if the key's part, the highest 5 of 32 bits, is below the share. It
// leaves the fingerprint in R11.
#define KEY \
	MOVL $0x0407, CX \
	BEXTRL CX, R10, CX \
	ADDL $0x0606, CX \
	BEXTRQ CX, R11, DX \
	SHLL $16, R10 \
	ANDL $0xf8000000, R10 \
	CMPL R11, R10 \
	ADCL $0, R9 \
	SHRQ $32, R11

// BITS loads the line's 64 bits from CX on into word, or those that follow at an
// offset of bytes. R10 is CX/64.
#define BITS(offset, word) \
	MOVQ offset+8(SI)(R10*8), DX \
	ADDQ DX, DX \
	MOVQ CX, R12 \
	NOTQ R12 \
	SHLXQ R12, DX, DX \
	SHRXQ CX, offset(SI)(R10*8), word \
	ORQ DX, word

// PARITY appends the parity of BX to the high end of R13, and moves CX to the
// next column.
#define PARITY \
	POPCNTQ BX, BX \
	SHRL $1, BX \
	RCRL $1, R13 \
	ADDQ R8, CX

// COLUMN takes the slots that a row of one word selects from bit CX of the line
// on.
#define COLUMN(row) \
	MOVQ CX, R10 \
	SHRQ $6, R10 \
	BITS(0, BX) \
	ANDQ row, BX \
	PARITY

// WIDE_COLUMN is COLUMN for rows of two words.
#define WIDE_COLUMN(low, high) \
	MOVQ CX, R10 \
	SHRQ $6, R10 \
	BITS(0, BX) \
	BITS(8, R10) \
	ANDQ low, BX \
	ANDQ high, R10 \
	XORQ R10, BX \
	PARITY

// SHARE moves CX back to the share's column, of which R14 columns of the last step
// were one too many, and leaves in DX the bits of it.
#define SHARE \
	MOVLQSX R14, DX \
	IMULQ R8, DX \
	ADDQ DX, CX \
	MOVL $512, DX \
	SUBL CX, DX

// SHIFT_AND_COUNT is for machines without VBMI2 and VPOPCNTDQ. It leaves in Z23
// as many ones, modulo 2, as the row selects: Z23 and then Z24 are shifted by
// Z22 modulo 64, and the parities of their nibbles are looked up and added.
#define SHIFT_AND_COUNT \
	VPANDQ.BCST ·mod64(SB), Z22, Z27 \
	VPXORQ.BCST ·mod64(SB), Z27, Z28 \
	VPADDQ Z24, Z24, Z24 \
	VPSRLVQ Z27, Z23, Z23 \
	VPSLLVQ Z28, Z24, Z24 \
	VPTERNLOGQ $0xc8, Z24, Z16, Z23 \
	VPSRLQ $4, Z23, Z27 \
	VPXORQ Z27, Z23, Z23 \
	VPANDQ.BCST ·nibbles(SB), Z23, Z23 \
	VBROADCASTI64X2 ·odd(SB), Z27 \
	VPSHUFB Z23, Z27, Z23 \
	VPSADBW Z21, Z23, Z23

// func MayContain(block []byte, h uint64) bool
//
// It checks in assembly that the trailer fits the lines, and leaves to portable
// code what it does not fit. With vectors the line is one register. A step fetches
// eight columns of up to 64 bits: the words that each begins in by a permutation
// of the line, those after them by another, and a double shift by the bit. Words
// behind the line are zero. Lines of more slots fetch four columns in a step,
// whose second words are four lanes of their own. All but a few absent keys end
// after the first step.
//
// With its hash, on an AMD EPYC with 10 bits a key and 10,000 keys in the cache, an
// absent key takes 12 ns and a present one 14.6. It is 13 and 16 ns without VBMI2,
// 18 and 27 without vectors, 25 and 36 in portable Go.
TEXT ·MayContain(SB), NOSPLIT, $0-33
	MOVQ block_base+0(FP), SI
	MOVQ block_len+8(FP), BX
	SUBQ $const_trailerSize, BX
	JLE portable
	LEAQ (SI)(BX*1), DI // the trailer
	CMPB const_layoutOffset(DI), $0
	JNE portable
	TESTL $63, BX
	JNZ portable
	SHRQ $6, BX // the number of lines
	CMPQ BX, const_geometryOffset(DI)
	JNE portable
	MOVQ h+24(FP), AX
	MULQ BX
	IMUL3Q $56, BX, R13
	SHLQ $6, DX
	ADDQ DX, SI // the key's line
	MOVWLZX (SI), R10 // its header
	MOVL R10, R8
	ANDL $127, R8 // m
	MOVQ $0x9e3779b97f4a7c15, AX
	IMULQ h+24(FP), AX
	MOVQ AX, DX
	SHRQ $32, DX
	XORQ DX, AX // y
	MOVQ $0xbb67ae8584caa73b, R11
	IMULQ AX, R11 // x
	LEAQ ·vectorColumns(SB), BX
	MOVBLZX (BX)(R8*1), R9
	TESTL R9, R9
	JZ words
	KEY
	VPBROADCASTQ R8, Z17
	VMOVDQU64 (SI), Z20
	VPXORQ X21, X21, X21

	// Where many lines have more than 64 slots, a branch for each would be
	// mispredicted: it is for the filter, whose lines have 56 keys or more.
	CMPQ const_keysOffset(DI), R13
	JHI wide
	CMPL R8, $64
	JHI wide

	MOVL $64, CX
	SUBL R8, CX
	SHRXQ CX, AX, AX
	ANDQ $-64, AX
	ORQ DX, AX
	VPBROADCASTQ AX, Z16 // the row
	VPMULUDQ ·ordinals(SB), Z17, Z22
	VPADDQ.BCST ·first(SB), Z22, Z22 // where columns start

step:
	VPSRLQ $6, Z22, Z23
	VPADDQ.BCST ·one(SB), Z23, Z24
	VPERMI2Q Z21, Z20, Z23
	VPERMI2Q Z21, Z20, Z24
	CMPB ·hasVBMI2(SB), $0
	JEQ lacking
	VPSHRDVQ Z22, Z24, Z23
	VPANDQ Z16, Z23, Z23
	VPOPCNTQ Z23, Z23

parities:
	VPTESTMQ.BCST ·one(SB), Z23, K1
	KMOVB K1, AX
	XORL R11, AX // bits of columns that differ
	BZHIL R9, AX, AX
	TESTB AX, AX
	JNZ absent
	CMPL R9, $8
	JLE present
	SHRL $8, R11
	SUBL $8, R9
	VPSLLQ $3, Z17, Z25
	VPADDQ Z25, Z22, Z22
	JMP step

wide:
	MOVQ $0x6a09e667f3bcc909, CX
	IMULQ AX, CX // z
	VPBROADCASTQ AX, Y16
	VPBROADCASTQ CX, Y26
	VINSERTI64X4 $1, Y26, Z16, Z16
	VMOVDQU64 ·shifts(SB), Z18
	VPSUBQ Z17, Z18, Z18
	VPMAXSQ Z21, Z18, Z18
	VPSRLVQ Z18, Z16, Z16
	VPBROADCASTQ DX, Y19
	VPTERNLOGQ $0xec, ·chosen(SB), Z19, Z16 // the row's words
	VPMULUDQ ·pairs(SB), Z17, Z22
	VPADDQ ·starts(SB), Z22, Z22
	VPSLLQ $2, Z17, Z25

wideStep:
	VPSRLQ $6, Z22, Z23
	VPADDQ.BCST ·one(SB), Z23, Z24
	VPERMI2Q Z21, Z20, Z23
	VPERMI2Q Z21, Z20, Z24
	CMPB ·hasVBMI2(SB), $0
	JEQ wideLacking
	VPSHRDVQ Z22, Z24, Z23
	VPANDQ Z16, Z23, Z23
	VPOPCNTQ Z23, Z23

wideParities:
	VPTESTMQ.BCST ·one(SB), Z23, K1
	KMOVB K1, AX
	MOVL AX, DX
	SHRL $4, DX
	XORL DX, AX
	XORL R11, AX
	BZHIL R9, AX, AX
	TESTL $15, AX
	JNZ absent
	CMPL R9, $4
	JLE present
	SHRL $4, R11
	SUBL $4, R9
	VPADDQ Z25, Z22, Z22
	JMP wideStep

lacking:
	SHIFT_AND_COUNT
	JMP parities

wideLacking:
	SHIFT_AND_COUNT
	JMP wideParities

	// Without vectors a step takes four columns of rows of one word, or two of
	// two. The share's column follows on its own, as the bits behind the line do
	// not count.
words:
	LEAQ ·wordColumns(SB), BX
	MOVBLZX (BX)(R8*1), R14 // columns left but for the share's
	TESTL R14, R14
	JZ portable
	KEY
	MOVQ $16, CX // where a column starts
	CMPL R8, $64
	JHI wideWords
	MOVL $64, BX
	SUBL R8, BX
	SHRXQ BX, AX, AX
	ANDQ $-64, AX
	ORQ DX, AX // the row

wordStep:
	COLUMN(AX)
	COLUMN(AX)
	COLUMN(AX)
	COLUMN(AX)
	SHRL $28, R13
	XORL R11, R13 // bits of columns that differ
	BZHIL R14, R13, R13
	TESTL $15, R13
	JNZ absent
	RORL $4, R11
	SUBL $4, R14
	JG wordStep
	SHARE
	BZHIQ DX, AX, AX
	COLUMN(AX)
	JMP share

wideWords:
	MOVQ $0x6a09e667f3bcc909, DI
	IMULQ AX, DI // z
	MOVL $128, BX
	SUBL R8, BX
	SHRXQ BX, DI, DI
	ANDQ $-64, AX
	ORQ DX, AX // the row's words

wideWordStep:
	WIDE_COLUMN(AX, DI)
	WIDE_COLUMN(AX, DI)
	SHRL $30, R13
	XORL R11, R13
	BZHIL R14, R13, R13
	TESTL $3, R13
	JNZ absent
	RORL $2, R11
	SUBL $2, R14
	JG wideWordStep
	SHARE
	BZHIQ DX, AX, AX
	XORL BX, BX
	SUBL $64, DX
	CMOVLLT BX, DX
	BZHIQ DX, DI, DI
	WIDE_COLUMN(AX, DI)

share:
	SHRL $31, R13
	SHRXL R14, R11, R11
	XORL R11, R13
	TESTL R9, R13
	JNZ absent

present:
	MOVB $1, ret+32(FP)
	RET

absent:
	MOVB $0, ret+32(FP)
	RET

portable:
	JMP ·mayContainGeneric(SB)
