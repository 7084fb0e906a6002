/// Everything the window binds to, under one roof.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include <chrono>
#include <string>

#include "app/desktop/chat/chat_page.h"
#include "app/desktop/chat/private_chat.h"
#include "app/desktop/chat/prompts.h"
#include "app/desktop/chat/start_page.h"
#include "app/desktop/data/backup_list.h"
#include "app/desktop/data/chat_export.h"
#include "app/desktop/data/chat_import.h"
#include "app/desktop/data/data_places.h"
#include "app/desktop/documents/document_shelf.h"
#include "app/desktop/documents/quote_finder.h"
#include "app/desktop/models/download_watch.h"
#include "app/desktop/models/fit_advice.h"
#include "app/desktop/models/model_offers.h"
#include "app/desktop/models/smaller_model.h"
#include "app/desktop/services/background_work.h"
#include "app/desktop/services/code_colours.h"
#include "app/desktop/services/desktop_portal.h"
#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/formula_pictures.h"
#include "app/desktop/services/model_list_model.h"
#include "app/desktop/services/notices.h"
#include "app/desktop/services/save_place.h"
#include "app/desktop/services/settings.h"
#include "app/desktop/services/storage_thread.h"
#include "app/desktop/services/text_saver.h"
#include "app/desktop/settings/crash_reports.h"
#include "app/desktop/settings/device_choices.h"
#include "app/desktop/shell/actions.h"
#include "app/desktop/shell/long_answers.h"
#include "app/desktop/shell/single_instance.h"
#include "app/desktop/shell/window_place.h"
#include "app/desktop/sidebar/conversation_list_model.h"
#include "app/desktop/sidebar/folders.h"
#include "app/desktop/sidebar/trash_model.h"

namespace ingle::desktop {

/// The files and folders the window works with.
struct AppFiles {
    std::string dataDir;
    std::string guide;    ///< the model that ships with Inglenook; empty: none
    std::string catalog;  ///< the list of models worth getting; empty: none
    QString downloads;    ///< where a browser puts files; empty: nowhere
    /// Longer than a browser pauses while it writes.
    std::chrono::milliseconds downloadSettles{1500};
    std::string cacheDir;         ///< what is made again when it is missing; empty: nowhere
    library::ModelPlaces places;  ///< where other programs keep models
    std::string bridge = {};      ///< socket of the bridge to other computers; empty: there is none
};

class AppModel : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by main")
    /// Which version this is, and how old.
    Q_PROPERTY(QString about READ about CONSTANT)
    /// What is shown: the page's, or that of the private chat.
    Q_PROPERTY(ingle::desktop::ChatController* chat READ chat NOTIFY chatChanged)
    Q_PROPERTY(ingle::desktop::ChatPage* page READ page CONSTANT)
    Q_PROPERTY(ingle::desktop::ChatPage* shownPage READ shownPage NOTIFY chatChanged)
    Q_PROPERTY(ingle::desktop::PrivateChat* secret READ secret CONSTANT)
    Q_PROPERTY(ingle::desktop::ConversationListModel* conversations READ conversations CONSTANT)
    Q_PROPERTY(ingle::desktop::Folders* folders READ folders CONSTANT)
    Q_PROPERTY(ingle::desktop::TrashModel* trash READ trash CONSTANT)
    Q_PROPERTY(ingle::desktop::ModelListModel* models READ models CONSTANT)
    Q_PROPERTY(ingle::desktop::CrashReports* crashes READ crashes CONSTANT)
    Q_PROPERTY(ingle::desktop::ModelOffers* offers READ offers CONSTANT)
    Q_PROPERTY(ingle::desktop::FitAdvice* fit READ fit CONSTANT)
    Q_PROPERTY(ingle::desktop::SmallerModel* smaller READ smaller CONSTANT)
    Q_PROPERTY(ingle::desktop::DeviceChoices* devices READ devices CONSTANT)
    Q_PROPERTY(ingle::desktop::TextSaver* saver READ saver CONSTANT)
    Q_PROPERTY(ingle::desktop::SavePlace* savePlace READ savePlace CONSTANT)
    Q_PROPERTY(ingle::desktop::Settings* settings READ settings CONSTANT)
    Q_PROPERTY(ingle::desktop::Notices* notices READ notices CONSTANT)
    Q_PROPERTY(ingle::desktop::WindowPlace* place READ place CONSTANT)
    Q_PROPERTY(ingle::desktop::DesktopPortal* portal READ portal CONSTANT)
    Q_PROPERTY(ingle::desktop::StartPage* startPage READ startPage CONSTANT)
    Q_PROPERTY(ingle::desktop::CodeColours* colours READ colours CONSTANT)
    Q_PROPERTY(ingle::desktop::FormulaPictures* formulas READ formulas CONSTANT)
    Q_PROPERTY(ingle::desktop::DocumentShelf* documents READ documents CONSTANT)
    Q_PROPERTY(ingle::desktop::ChatDocuments* chatDocuments READ chatDocuments CONSTANT)
    Q_PROPERTY(ingle::desktop::QuoteFinder* quotes READ quotes CONSTANT)
    Q_PROPERTY(ingle::desktop::ChatImport* chatImport READ chatImport CONSTANT)
    Q_PROPERTY(ingle::desktop::ChatExport* chatExport READ chatExport CONSTANT)
    Q_PROPERTY(ingle::desktop::BackupList* backups READ backups CONSTANT)
    Q_PROPERTY(ingle::desktop::DataPlaces* dataPlaces READ dataPlaces CONSTANT)
    Q_PROPERTY(ingle::desktop::Prompts* prompts READ prompts CONSTANT)
    Q_PROPERTY(ingle::desktop::Actions* actions READ actions CONSTANT)
  public:
    /// Opens the files and starts loading what the window shows first.
    AppModel(const AppFiles& files, const HostCommand& host);

    /// Does what a start asked for, the first one or a later one that ended in favour of this window.
    void serve(const StartRequest& request);

    QString about() const;
    ChatPage* page() { return &m_page; }
    PrivateChat* secret() { return &m_secret; }
    /// That which is shown.
    ChatPage* shownPage() { return m_secret.isShown() ? m_secret.page() : &m_page; }
    ChatController* chat() { return shownPage()->chat(); }
    ConversationListModel* conversations() { return &m_conversations; }
    Folders* folders() { return &m_folders; }
    TrashModel* trash() { return &m_trash; }
    ModelListModel* models() { return &m_models; }
    CrashReports* crashes() { return &m_crashes; }
    ModelOffers* offers() { return &m_offers; }
    FitAdvice* fit() { return &m_fit; }
    SmallerModel* smaller() { return &m_smaller; }
    DeviceChoices* devices() { return &m_devices; }
    TextSaver* saver() { return &m_saver; }
    SavePlace* savePlace() { return &m_savePlace; }
    Settings* settings() { return &m_settings; }
    Notices* notices() { return &m_notices; }
    WindowPlace* place() { return &m_place; }
    DesktopPortal* portal() { return &m_portal; }
    EngineClient* engine() { return &m_engine; }
    ChatStatus* status() { return shownPage()->status(); }
    StartPage* startPage() { return &m_startPage; }
    CodeColours* colours() { return &m_colours; }
    FormulaPictures* formulas() { return &m_formulas; }
    AnswerCheck* check() { return shownPage()->check(); }
    AnotherWord* words() { return shownPage()->words(); }
    FindInChat* finder() { return shownPage()->finder(); }
    DocumentShelf* documents() { return &m_documents; }
    ChatDocuments* chatDocuments() { return &m_chatDocuments; }
    QuoteFinder* quotes() { return &m_quotes; }
    ChatImport* chatImport() { return &m_import; }
    ChatExport* chatExport() { return &m_export; }
    BackupList* backups() { return &m_backups; }
    DataPlaces* dataPlaces() { return &m_dataPlaces; }
    Prompts* prompts() { return &m_prompts; }
    LongAnswers* longAnswers() { return &m_longAnswers; }
    Actions* actions() { return &m_actions; }

  signals:
    void chatChanged();
    /// Files that are to be opened like dropped ones.
    void filesGiven(const QList<QUrl>& files);

  private:
    // Destroyed from the last to the first: the engine stops before the storage finishes its work.
    StorageThread m_storage;
    EngineClient m_engine;
    CodeColours m_colours;
    FormulaPictures m_formulas;
    DesktopPortal m_portal;
    Notices m_notices;
    CrashReports m_crashes;
    TextSaver m_saver;
    SavePlace m_savePlace;
    Settings m_settings;
    WindowPlace m_place;
    DeviceChoices m_devices;
    ModelListModel m_models;
    ModelOffers m_offers;
    DownloadWatch m_downloads;
    FitAdvice m_fit;
    BackgroundWork m_work;
    SmallerModel m_smaller;
    ChatPage m_page;
    DocumentShelf m_documents;
    ChatDocuments m_chatDocuments;
    QuoteFinder m_quotes;
    PrivateChat m_secret;
    ConversationListModel m_conversations;
    Folders m_folders;
    TrashModel m_trash;
    StartPage m_startPage;
    ChatImport m_import;
    ChatExport m_export;
    BackupList m_backups;
    DataPlaces m_dataPlaces;
    Prompts m_prompts;
    LongAnswers m_longAnswers;
    Actions m_actions;
};

}  // namespace ingle::desktop
