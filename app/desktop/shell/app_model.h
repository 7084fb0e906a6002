/// The window's roots: what all features share, and the features, each of which connects itself.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QUrl>

#include <vector>

#include "app/desktop/chat/chat_feature.h"
#include "app/desktop/chat/long_answers.h"
#include "app/desktop/data/data_feature.h"
#include "app/desktop/documents/documents_feature.h"
#include "app/desktop/models/models_feature.h"
#include "app/desktop/services/services.h"
#include "app/desktop/settings/settings_feature.h"
#include "app/desktop/shell/single_instance.h"
#include "app/desktop/shell/window_place.h"
#include "app/desktop/sidebar/sidebar_feature.h"

namespace ingle::desktop {

class AppModel : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by main")
    Q_PROPERTY(ingle::desktop::Services* services READ services CONSTANT)
    Q_PROPERTY(ingle::desktop::ChatFeature* chats READ chats CONSTANT)
    Q_PROPERTY(ingle::desktop::ModelsFeature* models READ models CONSTANT)
    Q_PROPERTY(ingle::desktop::DataFeature* data READ data CONSTANT)
    Q_PROPERTY(ingle::desktop::DocumentsFeature* documents READ documents CONSTANT)
    Q_PROPERTY(ingle::desktop::SidebarFeature* sidebar READ sidebar CONSTANT)
    Q_PROPERTY(ingle::desktop::SettingsFeature* program READ program CONSTANT)
    Q_PROPERTY(ingle::desktop::WindowPlace* place READ place CONSTANT)
  public:
    /// Opens the files and starts loading what the window shows first.
    AppModel(const AppFiles& files, const HostCommand& host);

    /// Does what a start asked for, the first one or a later one that ended in favour of this window.
    void serve(const StartRequest& request);

    Services* services() { return &m_services; }
    ChatFeature* chats() { return &m_chats; }
    ModelsFeature* models() { return &m_models; }
    /// Chats that were dropped are recognised before documents.
    DataFeature* data() { return &m_data; }
    DocumentsFeature* documents() { return &m_documents; }
    SidebarFeature* sidebar() { return &m_sidebar; }
    SettingsFeature* program() { return &m_program; }
    WindowPlace* place() { return &m_place; }
    LongAnswers* longAnswers() { return &m_longAnswers; }

  signals:
    /// Files that are to be opened like dropped ones.
    void filesGiven(const QList<QUrl>& files);

  private:
    std::vector<Action> table();

    Services m_services;
    WindowPlace m_place;
    ChatFeature m_chats;
    ModelsFeature m_models;
    SidebarFeature m_sidebar;
    DataFeature m_data;
    DocumentsFeature m_documents;
    SettingsFeature m_program;
    LongAnswers m_longAnswers;
};

}  // namespace ingle::desktop
