/// A step's commands, cut into submissions.
#pragma once

#include <functional>

#include "engine/backend/vulkan/recording/left_part.h"
#include "engine/backend/vulkan/substrate/recorder.h"
#include "engine/backend/vulkan/substrate/submission_budget.h"

namespace ingle::backend::vulkan {

/// Recorded once, submitted again and again.
class StepCommands {
  public:
    /// Queues all submissions; the value of the last one. Errors: as Commands::submit().
    Result<uint64_t> submit() const;
    /// Computes a part that is not the device's.
    using ComputePart = std::function<void(const LeftPart& part)>;
    /// Submits, waits, and tells `budget` how long each submission took; `computePart` is called between two
    /// where there are such parts. Nothing is submitted any more once `cancelled` (which may be null) says
    /// so. Errors: as submit() of the first one, after which nothing has
    /// run; Device, of another one or of Device::wait(); Cancelled, when something was left out, and nothing
    /// runs any more.
    Status run(Device& device, std::chrono::nanoseconds limit, SubmissionBudget& budget,
               const std::function<bool()>& cancelled, const ComputePart& computePart) const;

    /// False when this budget would cut it at other places.
    bool fits(const SubmissionBudget& budget) const;
    bool empty() const { return m_submissions.empty(); }
    uint32_t numDispatches() const;
    size_t numSubmissions() const { return m_submissions.size(); }

  private:
    friend class StepRecorder;
    struct Submission {
        std::unique_ptr<Commands> commands;
        uint64_t work = 0;
        uint32_t numPieces = 0;             ///< between which it could be cut
        std::optional<LeftPart> left = {};  ///< computed behind it
    };
    std::vector<Submission> m_submissions;
    uint64_t m_budget = 0;
    uint64_t m_work = 0;  ///< of all
};

class StepRecorder {
  public:
    StepRecorder(Device& device, const Pipelines& pipelines, const SubmissionBudget& budget);

    /// What is recorded until the next call is a piece of `work` that is not cut. Errors: as
    /// Recorder::finish().
    Status beginPiece(uint64_t work);
    /// The piece ends with a part that the host computes; what it gives is copied. Errors: as
    /// Recorder::finish().
    Status leave(const LeftPart& part);
    /// Of the present piece; valid until the next one begins, or leave().
    Recorder& recorder() { return *m_recorder; }
    /// Errors: as Recorder::finish().
    Result<StepCommands> finish();

  private:
    Status endSubmission();

    Device& m_device;
    const Pipelines& m_pipelines;
    std::unique_ptr<Recorder> m_recorder;
    StepCommands::Submission m_submission;
    StepCommands m_commands;
};

}  // namespace ingle::backend::vulkan
