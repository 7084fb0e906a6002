/// Everything the window binds to, under one roof.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include <string>

#include "app/desktop/desktop_portal.h"
#include "app/desktop/engine_client.h"
#include "app/desktop/single_instance.h"
#include "app/desktop/storage_thread.h"
#include "app/desktop/viewmodels/chat_controller.h"
#include "app/desktop/viewmodels/conversation_list_model.h"
#include "app/desktop/viewmodels/device_choices.h"
#include "app/desktop/viewmodels/fit_advice.h"
#include "app/desktop/viewmodels/model_list_model.h"
#include "app/desktop/viewmodels/notices.h"
#include "app/desktop/viewmodels/settings.h"

namespace ingle::desktop {

class AppModel : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by main")
    Q_PROPERTY(ingle::desktop::ChatController* chat READ chat CONSTANT)
    Q_PROPERTY(ingle::desktop::ConversationListModel* conversations READ conversations CONSTANT)
    Q_PROPERTY(ingle::desktop::ModelListModel* models READ models CONSTANT)
    Q_PROPERTY(ingle::desktop::FitAdvice* fit READ fit CONSTANT)
    Q_PROPERTY(ingle::desktop::DeviceChoices* devices READ devices CONSTANT)
    Q_PROPERTY(ingle::desktop::Settings* settings READ settings CONSTANT)
    Q_PROPERTY(ingle::desktop::Notices* notices READ notices CONSTANT)
    Q_PROPERTY(ingle::desktop::DesktopPortal* portal READ portal CONSTANT)
  public:
    /// Opens the files in `dataDir` and starts loading what the window shows first. `guide`: file of the
    /// model that ships with Inglenook; empty: none.
    AppModel(std::string dataDir, HostCommand host, std::string guide);

    /// Does what a start asked for, the first one or a later one that ended in favour of this window.
    void serve(const StartRequest& request);

    ChatController* chat() { return &m_chat; }
    ConversationListModel* conversations() { return &m_conversations; }
    ModelListModel* models() { return &m_models; }
    FitAdvice* fit() { return &m_fit; }
    DeviceChoices* devices() { return &m_devices; }
    Settings* settings() { return &m_settings; }
    Notices* notices() { return &m_notices; }
    DesktopPortal* portal() { return &m_portal; }
    EngineClient* engine() { return &m_engine; }

  signals:
    /// Files that are to be opened like dropped ones.
    void filesGiven(const QList<QUrl>& files);
    void newChatWanted();

  private:
    // Destroyed from the last to the first: the engine stops before the storage finishes its work.
    StorageThread m_storage;
    EngineClient m_engine;
    DesktopPortal m_portal;
    Notices m_notices;
    Settings m_settings;
    DeviceChoices m_devices;
    ConversationListModel m_conversations;
    ModelListModel m_models;
    FitAdvice m_fit;
    ChatController m_chat;
};

}  // namespace ingle::desktop
