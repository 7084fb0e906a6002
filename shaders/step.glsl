// The values of the step that runs, as engine/backend/vulkan/memory/step_buffer.h writes them, which has the same
// structs. The including shader has a binding STEP_BINDING to spare. STEP_ACCESS is defined (empty) where the values
// of the next step are written.
#ifndef STEP_ACCESS
#define STEP_ACCESS readonly
#endif

const uint kNone = ~0u;

// Consecutive rows of one sequence.
struct Run {
    uint firstRow, numRows;
    uint slot;           // of its page table, and of its states before the step
    uint firstPosition;  // in the sequence, of firstRow
    uint slotAfter;      // of its states after the step
    uint prefixTokens;   // that all of its tokens see, where attention looks at it
    uint firstGuess;     // the first row that is a guess; none: behind the last
    uint keptSlot;       // of the states before it that are in no chunks
    uint freeSlot;       // where the states after the next step go, when this one has made it
};

// Entry i tells of row i, of run i and of row i of the logits: each of which may be there or not.
struct StepEntry {
    uint runOfRow;  // kNone: a row that is only there to fill up
    uint token;     // of the row
    uint logitRow;  // the row that the logits are of
    Run run;
};

layout(binding = STEP_BINDING) STEP_ACCESS buffer Step {
    uint numRuns, numLogitRows;
    uint flags;  // see topk.glsl
    StepEntry entries[];
} step;

uint positionOfRow(Run run, uint row) {
    return run.firstPosition + row - run.firstRow;
}
