// The values of the step that runs: what engine/backend/vulkan/step_buffer.h writes. The including shader has
// a binding STEP_BINDING to spare, and constant 1 is the number of rows the buffer has room for. STEP_ACCESS is defined
// (empty) where the values of the next step are written.
#ifndef STEP_ACCESS
#define STEP_ACCESS readonly
#endif
layout(constant_id = 1) const uint STEP_ROWS = 1;
layout(binding = STEP_BINDING) STEP_ACCESS buffer Step { uint step[]; };

const uint kNone = ~0u;

// Consecutive rows of one sequence.
struct Run {
    uint firstRow, numRows;
    uint sequence;       // slot of its page table, and of its states before the step
    uint firstPosition;  // in the sequence, of firstRow
    uint sequenceAfter;  // slot of its states after the step
};

uint numRuns() {
    return step[0];
}
uint numLogitRows() {
    return step[1];
}
// kNone: a row that is only there to fill up.
uint runOfRow(uint row) {
    return step[4 + row];
}
uint tokenOfRow(uint row) {
    return step[4 + STEP_ROWS + row];
}
Run runAt(uint run) {
    const uint at = 4 + 2 * STEP_ROWS + 5 * run;
    return Run(step[at], step[at + 1], step[at + 2], step[at + 3], step[at + 4]);
}
uint logitRow(uint i) {
    return step[4 + 7 * STEP_ROWS + i];
}
uint positionOfRow(Run run, uint row) {
    return run.firstPosition + row - run.firstRow;
}
