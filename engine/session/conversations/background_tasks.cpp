#include "engine/session/conversations/background_tasks.h"

#include <algorithm>

namespace ingle::session {

void BackgroundTasks::cancel(GenerationId id) {
    for (const auto& task : m_tasks) {
        if (task->id() == id) task->cancel();
    }
}

std::shared_ptr<BackgroundTask> BackgroundTasks::cancelled() const {
    const auto task = std::ranges::find_if(m_tasks, [](const auto& each) { return each->cancelled(); });
    return task == m_tasks.end() ? nullptr : *task;
}

std::shared_ptr<BackgroundTask> BackgroundTasks::next() const {
    if (m_tasks.empty()) return nullptr;
    const auto shortOne = std::ranges::find(m_tasks, false, [](const auto& task) { return task->isLong(); });
    return shortOne == m_tasks.end() ? m_tasks.front() : *shortOne;
}

void BackgroundTasks::suspend(SequenceCache& idle) {
    for (const auto& task : m_tasks) {
        if (task->begun()) idle.put(task->suspend());
    }
}

void BackgroundTasks::remove(const BackgroundTask& task) {
    m_tasks.remove_if([&task](const auto& each) { return each.get() == &task; });
}

size_t BackgroundTasks::longestText() const {
    size_t longest = 0;
    for (const auto& task : m_tasks)
        if (task->planned()) longest = std::max(longest, task->text().ids.size());
    return longest;
}

}  // namespace ingle::session
