// The values of the step that runs: what engine/backend/vulkan/step_buffer.h writes. The including shader has
// a binding STEP_BINDING to spare, and constant 1 is the number of rows the buffer has room for.
layout(constant_id = 1) const uint STEP_ROWS = 1;
layout(binding = STEP_BINDING) readonly buffer Step { uint step[]; };

const uint kNone = ~0u;

// Consecutive rows of one sequence.
struct Run {
    uint firstRow, numRows;
    uint sequence;       // which slot of states and page tables is its own
    uint firstPosition;  // in the sequence, of firstRow
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
    const uint at = 4 + 2 * STEP_ROWS + 4 * run;
    return Run(step[at], step[at + 1], step[at + 2], step[at + 3]);
}
uint logitRow(uint i) {
    return step[4 + 6 * STEP_ROWS + i];
}
uint positionOfRow(Run run, uint row) {
    return run.firstPosition + row - run.firstRow;
}
