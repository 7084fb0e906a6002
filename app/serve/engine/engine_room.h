/// The engine as all requests share it: one host, models by name on demand, and no more answers under way
/// than were allowed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

#include "app/client/client.h"
#include "app/serve/engine/deadlines.h"
#include "app/serve/engine/models.h"
#include "app/serve/metrics.h"

namespace ingle::serve {

struct RoomOptions {
    LoadOptions load;
    unsigned mostAnswers = kMostAtOnce + 64;  ///< written and waiting; kMostAtOnce are written at once
    std::chrono::seconds answerLimit{600};
    std::optional<std::chrono::milliseconds> restAfter;  ///< see client::Client::restAfter
};

/// Any thread. Handlers are called on the client's thread.
class EngineRoom {
  public:
    EngineRoom(std::unique_ptr<client::Client> client, std::unique_ptr<Models> models,
               const RoomOptions& options, Metrics& metrics);
    ~EngineRoom();

    Models& models() const { return *m_models; }
    unsigned mostAnswers() const { return m_options.mostAnswers; }
    std::chrono::seconds answerLimit() const { return m_options.answerLimit; }

    /// Takes places for `answers`; leave() gives each back. False: there is no room, or it is closing.
    bool enter(unsigned answers);
    void leave();
    /// When to ask again, at best, after enter() said no.
    std::chrono::seconds retryAfter();

    /// Asks the host with `model` loaded, which waits for answers of another one. Returns the request's name.
    template <typename R>
    protocol::RequestId ask(const ServedModel& model, R request, client::Handlers<R> handlers) {
        const std::scoped_lock lock(m_mutex);
        use(model);
        return m_client->send(std::move(request), std::move(handlers));
    }
    /// Of a model that compares texts, which is loaded beside.
    protocol::RequestId embed(const ServedModel& model, protocol::Embed request,
                              client::Handlers<protocol::Embed> handlers);
    /// Looks at the model's file.
    protocol::RequestId inspect(const ServedModel& model, client::Handlers<protocol::Inspect> handlers) {
        return m_client->send(protocol::Inspect{model.path, m_options.load}, std::move(handlers));
    }
    void cancel(protocol::RequestId id) { m_client->cancel(id); }
    Deadlines& deadlines() { return m_deadlines; }
    Metrics& metrics() { return m_metrics; }

    /// Lets nobody enter any more and waits until all have left. False: some have not within `limit`.
    bool close(std::chrono::milliseconds limit);
    bool isClosing() const;

  private:
    /// Has `model` loaded for what is asked next; with m_mutex held.
    void use(const ServedModel& model);

    const std::unique_ptr<Models> m_models;
    const RoomOptions m_options;
    Metrics& m_metrics;
    Deadlines m_deadlines;

    mutable std::mutex m_mutex;  ///< guards everything below, and the order of what is sent
    std::string m_path;          ///< of the model that was loaded last; empty: none, or it failed
    unsigned m_answers = 0;
    bool m_isClosing = false;
    std::condition_variable m_left;
    std::unique_ptr<client::Client> m_client;  ///< last: it calls back
};

}  // namespace ingle::serve
