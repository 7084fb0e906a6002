#include "app/desktop/viewmodels/app_model.h"

#include <utility>

namespace ingle::desktop {

AppModel::AppModel(std::string dataDir, HostCommand host, std::string guide)
    : m_storage(std::move(dataDir)),
      m_engine(std::move(host)),
      m_settings(m_storage),
      m_devices(m_engine, m_settings),
      m_conversations(m_storage, m_notices),
      m_models(m_storage, m_engine, m_settings, m_notices, std::move(guide)),
      m_fit(m_engine, m_models, m_settings),
      m_chat(m_storage, m_engine, m_models, m_settings, m_notices) {
    connect(&m_chat, &ChatController::listOutdated, &m_conversations, &ConversationListModel::refresh);
    connect(&m_conversations, &ConversationListModel::removing, &m_chat,
            &ChatController::conversationRemoved);
    connect(&m_conversations, &ConversationListModel::renamed, &m_chat, &ChatController::conversationRenamed);
    connect(&m_conversations, &ConversationListModel::purged, &m_engine, &EngineClient::retain);
    connect(&m_portal, &DesktopPortal::fileChosen, &m_models, &ModelListModel::openPath);
    connect(&m_portal, &DesktopPortal::linkCopied, this,
            [this](const QString& target) { m_notices.showToast(tr("Link copied: %1").arg(target)); });
    // Another device computes as soon as nothing is being answered.
    const auto applyDevice = [this] {
        if (m_chat.generation() == ChatController::Idle) m_models.applyDevice();
    };
    connect(&m_settings, &Settings::changed, &m_models, applyDevice);
    connect(&m_chat, &ChatController::generationChanged, &m_models, applyDevice);
    connect(&m_models, &ModelListModel::stateChanged, &m_models, applyDevice);
    // The model is loaded with the stored settings.
    connect(&m_settings, &Settings::loaded, &m_models, &ModelListModel::start);
    m_chat.start();
}

void AppModel::serve(const StartRequest& request) {
    // Behind whatever shows the conversation that was open last.
    if (request.newChat)
        m_storage.run(
            this, [](history::History&) { return Status(); },
            [this](const Status&) { emit newChatWanted(); });
    if (!request.files.isEmpty()) emit filesGiven(request.files);
}

}  // namespace ingle::desktop
