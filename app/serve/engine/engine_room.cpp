#include "app/serve/engine/engine_room.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ingle::serve {

EngineRoom::EngineRoom(std::unique_ptr<client::Client> client, std::unique_ptr<Models> models,
                       const RoomOptions& options, Metrics& metrics)
    : m_models(std::move(models)), m_options(options), m_metrics(metrics), m_client(std::move(client)) {
    m_client->restAfter(options.restAfter);
}

EngineRoom::~EngineRoom() {
    m_deadlines.stop();  // they use the client, which ends first
}

bool EngineRoom::enter(unsigned answers) {
    const std::scoped_lock lock(m_mutex);
    if (m_isClosing || m_answers + answers > m_options.mostAnswers) return false;
    m_answers += answers;
    m_metrics.setAnswersUnderWay(m_answers);
    return true;
}

void EngineRoom::leave() {
    {
        const std::scoped_lock lock(m_mutex);
        m_metrics.setAnswersUnderWay(--m_answers);
    }
    m_left.notify_all();
}

std::chrono::seconds EngineRoom::retryAfter() {
    const double wait = std::ceil(m_metrics.meanAnswerSeconds() * m_options.mostAnswers / kMostAtOnce);
    return std::chrono::seconds(static_cast<int64_t>(std::clamp(wait, 1.0, 60.0)));
}

void EngineRoom::use(const ServedModel& model) {
    if (m_path == model.path) return;
    m_path = model.path;
    m_client->send(protocol::Load{model.path, m_options.load},
                   {.finished = [this, path = model.path](const client::Outcome<protocol::Load>& outcome) {
                       m_metrics.countLoad();
                       if (outcome) return;
                       // What was asked of it hears why; who asks next has it tried again.
                       const std::scoped_lock lock(m_mutex);
                       if (m_path == path) m_path.clear();
                   }});
}

protocol::RequestId EngineRoom::embed(const ServedModel& model, protocol::Embed request,
                                      client::Handlers<protocol::Embed> handlers) {
    request.model = model.path;
    return m_client->send(std::move(request), std::move(handlers));
}

bool EngineRoom::close(std::chrono::milliseconds limit) {
    std::unique_lock lock(m_mutex);
    m_isClosing = true;
    return m_left.wait_for(lock, limit, [this] { return m_answers == 0; });
}

bool EngineRoom::isClosing() const {
    const std::scoped_lock lock(m_mutex);
    return m_isClosing;
}

}  // namespace ingle::serve
