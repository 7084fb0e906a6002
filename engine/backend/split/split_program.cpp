#include "engine/backend/split/split_program.h"

#include <numeric>

namespace ingle::backend::split {

Status SplitProgram::run(const Step& step) {
    Step whole = step;
    whole.cancelled = nullptr;  // its parts ask
    INGLE_TRY(m_limits.check(whole));
    std::vector<SplitSequence*> sequences;
    std::vector<uint32_t> lengths;
    for (const SequenceRun& run : step.runs) {
        INGLE_TRY_ASSIGN(SplitSequence * sequence, ownSequence<SplitSequence>(run.sequence, m_memory));
        // A part that finds no room would have to be told after the other one has run.
        INGLE_TRY(sequence->reserve(sequence->length() + run.numRows));
        sequences.push_back(sequence);
        lengths.push_back(sequence->length());
    }
    const Status status = runParts(step, sequences);
    if (status) return {};
    bool asBefore = true;
    for (size_t i = 0; i < sequences.size(); ++i) asBefore = sequences[i]->takeBackTo(lengths[i]) && asBefore;
    if (asBefore || status.error().code == ErrorCode::Cancelled) return status;
    // Whoever tries the step again must not find empty sequences.
    return fail(ErrorCode::Device, "{}, in the middle of a step", status.error().message);
}

Status SplitProgram::runParts(const Step& step, std::span<SplitSequence* const> sequences) {
    std::vector<SequenceRun> front(step.runs.begin(), step.runs.end());
    std::vector<SequenceRun> back = front;
    for (size_t i = 0; i < sequences.size(); ++i) {
        front[i].sequence = &sequences[i]->front();
        back[i].sequence = &sequences[i]->back();
    }
    std::vector<uint32_t> allRows(step.tokens.size());
    std::iota(allRows.begin(), allRows.end(), 0);
    Step part = step;
    part.runs = front;
    part.logitRows = allRows;
    INGLE_TRY(m_front->run(part));
    m_rows.clear();
    for (const uint32_t row : allRows) {
        INGLE_TRY_ASSIGN(const std::span<const float> values, m_front->readOutput(row));
        m_rows.insert(m_rows.end(), values.begin(), values.end());
    }
    part = step;
    part.runs = back;
    part.inputRows = m_rows;
    return m_back->run(part);
}

void SplitProgram::observe(OpObserver* observer) {
    m_front->observe(observer);
    m_back->observe(observer);
}

}  // namespace ingle::backend::split
