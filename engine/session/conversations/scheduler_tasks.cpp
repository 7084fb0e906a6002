/// Background tasks: they get a step where answers leave nothing else to do.
#include <algorithm>
#include <numeric>

#include "engine/session/conversations/scheduler.h"
#include "ingle/stop_scope.h"

namespace ingle::session {

using namespace std::chrono_literals;

std::shared_ptr<BackgroundTask> Scheduler::nextTask(Idle idle) {
    const std::scoped_lock lock(m_mutex);
    if (auto task = m_tasks.cancelled()) return task;
    return idle == Idle::Yes ? m_tasks.next() : nullptr;
}

void Scheduler::suspendTasks() {
    const std::scoped_lock lock(m_mutex);
    m_tasks.suspend(m_idle);
}

void Scheduler::stepTask(Idle idle) {
    const std::shared_ptr<BackgroundTask> task = nextTask(idle);
    if (task == nullptr) return;
    if (!task->cancelled() && !task->canBegin()) {
        waitForChange();
        return;
    }
    if (!task->begun()) suspendTasks();
    const Status status = stepTask(task);
    if (status && !task->finished()) return;
    suspendTasks();
    if (status)
        task->tellResult();
    else
        task->failWith(withCodeId(status.error()));
    const std::scoped_lock lock(m_mutex);
    m_tasks.remove(*task);
}

void Scheduler::waitForChange() {
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, kUntilItCanBegin);
}

std::optional<Status> Scheduler::plan(const std::shared_ptr<BackgroundTask>& task) {
    const auto isDone = [](const TaskPlanning& planning, std::chrono::milliseconds patience) {
        return planning.done.wait_for(patience) == std::future_status::ready;
    };
    std::erase_if(m_taskPlannings,
                  [&](const TaskPlanning& each) { return each.task->cancelled() && isDone(each, 0ms); });
    auto planning = std::ranges::find(m_taskPlannings, task, &TaskPlanning::task);
    if (planning == m_taskPlannings.end()) {
        if (m_taskPlannings.size() >= kMostPlannings) return std::nullopt;
        m_taskPlannings.push_back({task, std::async(std::launch::async, [task, &model = m_model.opened()] {
                                       const StopScope scope([&task] { return task->cancelled(); });
                                       return task->plan(model);
                                   })});
        planning = std::prev(m_taskPlannings.end());
    }
    if (!isDone(*planning, kUntilItCanBegin)) return std::nullopt;
    Status status = planning->done.get();
    m_taskPlannings.erase(planning);
    return status;
}

Status Scheduler::stepTask(const std::shared_ptr<BackgroundTask>& wanted) {
    BackgroundTask& task = *wanted;
    if (task.cancelled()) return fail(ErrorCode::Cancelled, "cancelled");
    const StopScope scope([&task] { return task.cancelled(); });
    if (!task.planned()) {
        const auto planned = plan(wanted);
        if (!planned) return {};
        if (*planned) task.afterPlan();
        return *planned;
    }
    if (!task.begun()) {
        INGLE_TRY_ASSIGN(CachedSequence sequence, m_finder.find(task.text(), runningSequences()));
        task.begin(std::move(sequence));
    }
    settle();
    Place& place = m_model.placement().place();
    const BackgroundTask::Next next = task.next(place.promptTokens(), Model::kStepLogits);
    const CachedSequence& sequence = task.sequence();
    std::vector<uint32_t> rows(next.tokens.size() - next.firstRow);
    std::iota(rows.begin(), rows.end(), next.firstRow);
    const auto feed = [&]() -> Status {
        StepRows step(m_model.opened(), place.takesPictures());
        INGLE_TRY(step.add({.sequence = sequence.memory.get(), .prefixTokens = sequence.prefixTokens},
                           next.tokens, task.pictures()));
        INGLE_TRY(
            m_finder.makingRoom([&] { return runStep(step, rows, [&task] { return task.cancelled(); }); }));
        task.fed(next.tokens.size());
        for (uint32_t i = 0; i < rows.size(); ++i) {
            INGLE_TRY_ASSIGN(const std::span<const float> logits, m_ran->readOutput(i));
            task.take(m_model.opened(), logits);
        }
        return {};
    };
    const Status status = feed();
    if (status) return status;
    // What is in the sequence now is not certain; on the processor nothing may be of another device.
    task.restart();
    return leaveDevice(status.error()) ? Status() : status;
}

}  // namespace ingle::session
