#include "engine/backend/vulkan/program/step_commands.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ingle::backend::vulkan {
namespace {

/// Of a step that is partly done, whatever the reason: done again, it would change recurrent states twice.
Status begunAndFailed(const Error& error) {
    return fail(ErrorCode::Device, "{}, in the middle of a step", error.message);
}

}  // namespace

Result<uint64_t> StepCommands::submit() const {
    uint64_t last = 0;
    for (const Submission& submission : m_submissions) {
        INGLE_TRY_ASSIGN(last, submission.commands->submit());
    }
    return last;
}

Status StepCommands::run(Device& device, std::chrono::nanoseconds limit, SubmissionBudget& budget,
                         const std::function<bool()>& cancelled, const ComputePart& computePart) const {
    // Two at a time: the device does not wait for the host, and the others may still be left out.
    constexpr size_t kAhead = 2;
    std::array<uint64_t, kAhead> values{};
    size_t submitted = 0;
    size_t end = m_submissions.size();
    SubmissionTimes times;
    auto begin = device.api().now();
    for (size_t done = 0;; ++done) {
        if (cancelled && cancelled()) end = submitted;
        for (; submitted < std::min(done + kAhead, end); ++submitted) {
            if (submitted > done && m_submissions[submitted - 1].left) break;
            const auto value = m_submissions[submitted].commands->submit();
            if (!value) return submitted > 0 ? begunAndFailed(value.error()) : tl::unexpected(value.error());
            values[submitted % kAhead] = *value;
        }
        if (done == end) break;
        INGLE_TRY(device.wait(values[done % kAhead], limit));
        const auto now = device.api().now();
        const Submission& submission = m_submissions[done];
        times.push_back({submission.work, now - begin, submission.numPieces > 1});
        if (submission.left) computePart(*submission.left);
        begin = submission.left ? device.api().now() : now;
    }
    budget.measured(times);
    if (end < m_submissions.size()) return fail(ErrorCode::Cancelled, "the step was cancelled");
    return {};
}

bool StepCommands::fits(const SubmissionBudget& budget) const {
    // Fewer submissions gain little: the device has the next one before it has done this one.
    constexpr uint64_t kWorthwhile = 16;
    if (m_submissions.size() == 1 && m_work <= budget.work()) return true;
    return m_budget <= budget.work() && budget.work() < kWorthwhile * m_budget;
}

uint32_t StepCommands::numDispatches() const {
    uint32_t count = 0;
    for (const Submission& submission : m_submissions) count += submission.commands->numDispatches();
    return count;
}

StepRecorder::StepRecorder(Device& device, const Pipelines& pipelines, const SubmissionBudget& budget)
    : m_device(device), m_pipelines(pipelines), m_recorder(std::make_unique<Recorder>(device, pipelines)) {
    m_commands.m_budget = budget.work();
}

Status StepRecorder::beginPiece(uint64_t work) {
    if (m_submission.numPieces > 0 && m_submission.work + work > m_commands.m_budget) {
        INGLE_TRY(endSubmission());
        m_recorder = std::make_unique<Recorder>(m_device, m_pipelines);
    }
    m_submission.work += work;
    ++m_submission.numPieces;
    m_commands.m_work += work;
    return {};
}

Status StepRecorder::leave(const LeftPart& part) {
    m_submission.left = part;
    INGLE_TRY(endSubmission());
    m_recorder = std::make_unique<Recorder>(m_device, m_pipelines);
    return m_recorder->copy(part.y, part.copied);
}

Status StepRecorder::endSubmission() {
    INGLE_TRY_ASSIGN(m_submission.commands, m_recorder->finish());
    m_commands.m_submissions.push_back(std::exchange(m_submission, {}));
    return {};
}

Result<StepCommands> StepRecorder::finish() {
    INGLE_TRY(endSubmission());
    return std::move(m_commands);
}

}  // namespace ingle::backend::vulkan
