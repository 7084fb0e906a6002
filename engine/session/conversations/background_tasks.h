/// Scorings and readings that run while no answer is waiting or being written.
#pragma once

#include <list>
#include <memory>

#include "engine/session/conversations/background_task.h"
#include "engine/session/conversations/cached_sequence.h"

namespace ingle::session {

/// Which of them is next. The caller guards it.
class BackgroundTasks {
  public:
    void add(std::shared_ptr<BackgroundTask> task) { m_tasks.push_back(std::move(task)); }
    void cancel(GenerationId id);
    bool empty() const { return m_tasks.empty(); }

    /// One that was cancelled, so that it is told; null: none.
    std::shared_ptr<BackgroundTask> cancelled() const;
    /// The one whose turn it is: a short one before a long one, else in order of submission; null: none.
    std::shared_ptr<BackgroundTask> next() const;
    /// Takes back the sequence of the one that has begun: answers, and short tasks, come first, and what it
    /// has read so far serves them as well.
    void suspend(SequenceCache& idle);
    void remove(const BackgroundTask& task);
    /// Tokens of the longest text of those that are planned.
    size_t longestText() const;

  private:
    std::list<std::shared_ptr<BackgroundTask>> m_tasks;  ///< in order of submission; one at most has begun
};

}  // namespace ingle::session
