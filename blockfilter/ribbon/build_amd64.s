//go:build !purego

#include "textflag.h"

#define rowAt   SI
#define valueAt DI
#define stop    R8
#define base    R9
#define list    R10
#define count   R11
#define total     R12
#define slot    CX

// ELIMINATE adds the row in Z14 and the value in Z15 to those of 8 equations
// that select the slot, of those that have STARTED.
#define ELIMINATE(ROW, VALUE, STARTED, SELECT) \
	VPTESTMQ Z10, ROW, STARTED, SELECT \
	VPXORQ   Z14, ROW, SELECT, ROW     \
	VPXORQ   Z15, VALUE, SELECT, VALUE

// The equations go through the slots together. At a slot that has a row, this
// is added to those that select the slot. At one that has none, the first
// equation that selects it becomes its row, and is added to the others, and to
// itself, which leaves nothing of it. So in the end nothing is left of any row,
// and something of a value only if the equations contradict.
//
// Rows have the coefficient of slot s at bit s mod 64, counted from the first
// slot, so that they need not be shifted: none selects slots that are 64 apart.
// Z0 to Z3 are the rows, Z4 to Z7 the values, whose upper halves mean nothing,
// Z8 the slot, Z11 and Z12 the starts.

// func insertAVX512(rows *uint64, values *uint32, reach, first uint64,
//	starts *uint32, rowsOf *uint64, valuesOf *uint32, n int, slots *uint64) (taken int, ok bool)
TEXT ·insertAVX512(SB), NOSPLIT, $0-81
	MOVQ          starts+32(FP), AX
	MOVQ          rowsOf+40(FP), BX
	MOVQ          valuesOf+48(FP), DX
	MOVQ          n+56(FP), total
	MOVQ          $-1, SI
	BZHIQ         total, SI, SI // a bit for each equation
	KMOVQ         SI, K1
	KSHIFTRQ      $8, K1, K2
	KSHIFTRQ      $16, K1, K3
	KSHIFTRQ      $24, K1, K4
	VMOVDQU64.Z   (BX), K1, Z0
	VMOVDQU64.Z   64(BX), K2, Z1
	VMOVDQU64.Z   128(BX), K3, Z2
	VMOVDQU64.Z   192(BX), K4, Z3
	VPMOVZXDQ.Z   (DX), K1, Z4
	VPMOVZXDQ.Z   32(DX), K2, Z5
	VPMOVZXDQ.Z   64(DX), K3, Z6
	VPMOVZXDQ.Z   96(DX), K4, Z7
	VMOVDQU32.Z   (AX), K1, Z11
	VMOVDQU32.Z   64(AX), K3, Z12
	VPMOVZXDQ     Y11, Z13
	VPROLVQ       Z13, Z0, Z0
	VEXTRACTI64X4 $1, Z11, Y13
	VPMOVZXDQ     Y13, Z13
	VPROLVQ       Z13, Z1, Z1
	VPMOVZXDQ     Y12, Z13
	VPROLVQ       Z13, Z2, Z2
	VEXTRACTI64X4 $1, Z12, Y13
	VPMOVZXDQ     Y13, Z13
	VPROLVQ       Z13, Z3, Z3
	MOVQ          rows+0(FP), rowAt
	MOVQ          values+8(FP), valueAt
	MOVQ          reach+16(FP), stop
	MOVQ          first+24(FP), base
	MOVQ          slots+64(FP), list
	XORL          count, count
	XORL          slot, slot
	MOVL          $1, AX
	VPBROADCASTD  AX, Z9
	VPBROADCASTQ  AX, Z10 // the bit of the slot
	VPXORQ        Z8, Z8, Z8

next:
	// K1 to K4 are the equations that have started.
	VPCMPUD      $2, Z8, Z11, K1
	VPCMPUD      $2, Z8, Z12, K3
	KSHIFTRW     $8, K1, K2
	KSHIFTRW     $8, K3, K4
	MOVQ         (rowAt)(slot*8), AX
	TESTQ        AX, AX
	JEQ          free
	ROLQ         CX, AX
	VPBROADCASTQ AX, Z14
	VPBROADCASTD (valueAt)(slot*4), Z15

eliminate:
	ELIMINATE(Z0, Z4, K1, K5)
	CMPQ total, $8
	JLE  after
	ELIMINATE(Z1, Z5, K2, K6)
	CMPQ total, $16
	JLE  after
	ELIMINATE(Z2, Z6, K3, K7)
	CMPQ total, $24
	JLE  after
	ELIMINATE(Z3, Z7, K4, K5)

after:
	VPROLQ $1, Z10, Z10
	VPADDD Z9, Z8, Z8
	INCQ   slot
	CMPQ   slot, stop
	JNE    next
	JMP    done

free:
	VPTESTMQ     Z10, Z0, K1, K5
	VPTESTMQ     Z10, Z1, K2, K6
	KUNPCKBW     K5, K6, K7
	VPTESTMQ     Z10, Z2, K3, K5
	VPTESTMQ     Z10, Z3, K4, K6
	KUNPCKBW     K5, K6, K6
	KUNPCKWD     K7, K6, K7
	KMOVD        K7, AX
	TESTL        AX, AX
	JEQ          none
	TZCNTL       AX, AX
	VPBROADCASTQ AX, Z14
	VMOVDQA64    Z14, Z15
	VMOVDQA64    Z14, Z16
	VMOVDQA64    Z14, Z17
	VPERMI2Q     Z1, Z0, Z14 // by the number modulo 16
	VPERMI2Q     Z5, Z4, Z15
	VPERMI2Q     Z3, Z2, Z16
	VPERMI2Q     Z7, Z6, Z17
	SHRL         $4, AX
	NEGL         AX
	KMOVW        AX, K5
	VMOVDQA64    Z16, K5, Z14
	VMOVDQA64    Z17, K5, Z15
	VMOVQ        X14, AX
	RORQ         CX, AX
	MOVQ         AX, (rowAt)(slot*8)
	VMOVD        X15, (valueAt)(slot*4)
	LEAQ         (base)(slot*1), AX
	MOVQ         AX, (list)(count*8)
	INCQ         count
	JMP          eliminate

none:
	VPORQ    Z0, Z1, Z16
	VPORQ    Z2, Z3, Z17
	VPORQ    Z16, Z17, Z16
	VPTESTMQ Z16, Z16, K5
	KORTESTW K5, K5
	JNE      after

done:
	VPORQ        Z4, Z5, Z16
	VPORQ        Z6, Z7, Z17
	VPORQ        Z16, Z17, Z16
	MOVL         $0xffffffff, AX
	VPBROADCASTQ AX, Z17
	VPANDQ       Z17, Z16, Z16
	VPORQ        Z0, Z16, Z16
	VPORQ        Z1, Z16, Z16
	VPORQ        Z2, Z16, Z16
	VPORQ        Z3, Z16, Z16
	VPTESTMQ     Z16, Z16, K5
	KORTESTW     K5, K5
	SETEQ        ok+80(FP)
	MOVQ         count, taken+72(FP)
	VZEROUPPER
	RET

// SOLVE finds the bits of a slot in 8 columns. The first coefficient of the row
// in Z8 is that of the slot itself, so with the bits of the value in Z9 at its
// place the parity is the solution. An empty row gives zeros.
#define SOLVE(WINDOW, COLUMN, BIT) \
	VPSRLVQ    COLUMN, Z9, BIT        \
	VPANDQ     Z10, BIT, BIT          \
	VPADDQ     WINDOW, WINDOW, WINDOW \
	VPTERNLOGQ $0xa8, Z8, WINDOW, BIT \
	VPOPCNTQ   BIT, BIT               \
	VPTERNLOGQ $0xf8, Z10, BIT, WINDOW

// func solveAVX512(rows *uint64, values *uint32, slots, column uint64, window *uint64)
TEXT ·solveAVX512(SB), NOSPLIT, $0-40
	MOVQ         rows+0(FP), rowAt
	MOVQ         values+8(FP), valueAt
	MOVQ         slots+16(FP), slot
	MOVQ         column+24(FP), AX
	MOVQ         window+32(FP), BX
	VPBROADCASTQ AX, Z2
	VPADDQ       ·numbers+64(SB), Z2, Z3
	VPADDQ       ·numbers+0(SB), Z2, Z2
	MOVL         $1, AX
	VPBROADCASTQ AX, Z10
	VMOVDQU64    (BX), Z0
	VMOVDQU64    64(BX), Z1

solve:
	VPBROADCASTQ -8(rowAt)(slot*8), Z8
	VPBROADCASTD -4(valueAt)(slot*4), Z9
	SOLVE(Z0, Z2, Z4)
	SOLVE(Z1, Z3, Z5)
	DECQ         slot
	JNE          solve
	VMOVDQU64    Z0, (BX)
	VMOVDQU64    Z1, 64(BX)
	VZEROUPPER
	RET
