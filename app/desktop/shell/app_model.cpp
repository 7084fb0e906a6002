#include "app/desktop/shell/app_model.h"

#include <QDate>

#include <chrono>
#include <string_view>
#include <utility>

#include "app/desktop/services/text.h"
#include "app/desktop/settings/about.h"
#include "app/desktop/shell/storage_notices.h"
#include "ingle/version.h"

namespace ingle::desktop {

AppModel::AppModel(const AppFiles& files, const HostCommand& host)
    : m_storage(files.dataDir),
      m_engine(host, files.bridge),
      m_colours(findTypesetter()),
      m_formulas(findTypesetter()),
      m_crashes(files.dataDir + "/crashes", m_storage, m_notices),
      m_saver(m_storage, m_notices),
      m_savePlace(m_portal, m_storage),
      m_settings(m_storage, m_notices),
      m_place(m_storage),
      m_devices(m_engine, m_settings),
      m_models(m_storage, m_engine, m_settings, m_notices, files.guide),
      m_offers(m_engine, files.catalog, files.places),
      m_downloads(files.downloads, files.downloadSettles),
      m_fit(m_engine, m_models, m_settings),
      m_smaller(m_engine, m_models, m_work, m_notices, toQString(files.dataDir + "/models")),
      m_page(m_storage, {m_engine, m_models, m_work, m_settings, m_notices}),
      m_documents(m_storage, m_engine, m_models, *m_page.chat(), m_notices),
      m_chatDocuments(m_documents),
      m_quotes(m_storage, *m_page.chat(), m_notices),
      m_secret({m_engine, m_models, m_work, m_settings, m_notices}),
      m_conversations(m_storage, *m_page.answers(), m_notices),
      m_folders(m_storage),
      m_trash(m_storage, m_notices),
      m_startPage(m_models),
      m_import(m_storage, m_notices, files.dataDir),
      m_export(m_storage, m_notices),
      m_backups(m_storage, *m_page.answers(), m_notices),
      m_dataPlaces(m_storage, m_engine, m_notices, files.dataDir, files.cacheDir),
      m_prompts(m_storage, m_notices),
      m_longAnswers(
          *m_page.answers(), m_settings,
          [this](history::RowId conversation) {
              return m_conversations.titleOf(static_cast<double>(conversation));
          },
          m_portal),
      m_actions(*this) {
    ChatController& chat = *m_page.chat();
    RunningAnswers& answers = *m_page.answers();
    connect(&chat, &ChatController::listOutdated, &m_conversations, &ConversationListModel::refresh);
    connect(&m_conversations, &ConversationListModel::removing, &answers,
            [&answers](history::RowId conversation) { answers.stop(conversation); });
    connect(&m_conversations, &ConversationListModel::removed, &chat, &ChatController::conversationRemoved);
    connect(&m_conversations, &ConversationListModel::renamed, &chat, &ChatController::conversationRenamed);
    connect(&m_conversations, &ConversationListModel::setChanged, &m_engine, &EngineClient::retain);
    connect(&m_conversations, &ConversationListModel::restored, &chat, &ChatController::open);
    connect(&m_conversations, &ConversationListModel::made, &chat, &ChatController::open);
    connect(&m_conversations, &ConversationListModel::foldersChanged, &chat, &ChatController::readProfile);
    connect(&m_conversations, &ConversationListModel::foldersChanged, &m_folders, &Folders::refresh);
    connect(&chat, &ChatController::wanted, &m_secret, &PrivateChat::leave);
    connect(&m_secret, &PrivateChat::shownChanged, this, &AppModel::chatChanged);
    connect(this, &AppModel::chatChanged, &m_notices,
            [this] { m_notices.clearBanner(Notices::Topic::Leaving); });
    connect(&m_trash, &TrashModel::restored, this, [this](history::RowId conversation) {
        m_conversations.refresh();
        m_conversations.tellSet();
        m_page.chat()->showAgain(conversation);
    });
    connect(&m_models, &ModelListModel::noModelsGiven, &m_import, &ChatImport::offer);
    connect(&m_import, &ChatImport::noChats, &m_documents, [this](const std::vector<Recognition>& things) {
        if (!m_secret.isShown()) return m_documents.offer(things);
        m_notices.showToast(tr("Documents are kept, so a private chat has none."));
    });
    // Other conversations than before, and perhaps other folders.
    const auto showOthers = [this] {
        m_conversations.refresh();
        m_conversations.tellSet();
        m_folders.refresh();
    };
    connect(&m_import, &ChatImport::imported, this, showOthers);
    connect(&m_import, &ChatImport::takenBack, this, [this, showOthers](const auto& conversations) {
        for (const history::RowId each : conversations) m_page.chat()->conversationRemoved(each);
        showOthers();
    });
    connect(&m_backups, &BackupList::restoring, &chat, &ChatController::newConversation);
    connect(&m_backups, &BackupList::restored, this, showOthers);
    connect(&m_backups, &BackupList::restored, &m_notices, &Notices::forgetUndos);
    connect(&m_backups, &BackupList::restored, &m_settings, &Settings::load);
    connect(&m_backups, &BackupList::restored, &m_prompts, &Prompts::load);
    connect(&m_backups, &BackupList::restored, &m_documents, &DocumentShelf::refresh);
    connect(&m_backups, &BackupList::listChanged, &m_dataPlaces, &DataPlaces::refresh);
    connect(&m_dataPlaces, &DataPlaces::backupsRemoved, &m_backups, &BackupList::refresh);
    connect(&m_dataPlaces, &DataPlaces::documentMemoryUnwanted, &m_documents, &DocumentShelf::forgetAll);
    for (DraftMeasure* measure : {m_page.measure(), m_page.editMeasure()})
        connect(&m_documents, &DocumentShelf::inChatChanged, measure, &DraftMeasure::lookAgain);
    connect(&m_documents, &DocumentShelf::keptChanged, &m_conversations, &ConversationListModel::tellSet);
    connect(&m_fit, &FitAdvice::smallerWanted, &m_smaller, &SmallerModel::lookAt);
    connect(&m_downloads, &DownloadWatch::settled, &m_models, &ModelListModel::offer);
    connect(&m_models, &ModelListModel::arrivedWhole, &m_downloads, &DownloadWatch::setWhole);
    connect(&m_portal, &DesktopPortal::copied, this, [this] { m_notices.showToast(tr("Copied")); });
    connect(&m_portal, &DesktopPortal::linkCopied, this,
            [this](const QString& target) { m_notices.showToast(tr("Link copied: %1").arg(target)); });
    // Another device computes as soon as nothing is being answered.
    const auto applyChoices = [this] {
        const bool isIdle = !m_secret.isOpen() || m_secret.page()->answers()->none();
        if (isIdle && m_page.answers()->none()) m_models.applyChoices();
    };
    connect(&m_settings, &Settings::changed, &m_models, applyChoices);
    connect(&answers, &RunningAnswers::stateChanged, &m_models, applyChoices);
    connect(&m_models, &ModelListModel::stateChanged, &m_models, applyChoices);
    connect(&m_models, &ModelListModel::choicesSettled, &m_models, applyChoices);
    const auto rest = [this] { m_engine.restAfter(std::chrono::minutes(m_settings.restMinutes())); };
    connect(&m_settings, &Settings::changed, &m_engine, rest);
    connect(&m_settings, &Settings::loaded, &m_engine, rest);
    connect(&answers, &RunningAnswers::ended, &m_models,
            [this](history::RowId, history::RowId, const history::AnswerEnd& ending) {
                m_models.measure(ending.receipt.modelPath, ending.stats);
            });
    // The model is loaded with the stored settings.
    connect(&m_settings, &Settings::loaded, &m_models, &ModelListModel::start);
    connect(&m_engine, &EngineClient::restarted, &m_crashes, &CrashReports::look);
    m_storage.onNotice([this](const storage::Notice& notice) {
        if (notice.kind == storage::Notice::Kind::FileOverwritten) {
            m_page.chat()->newConversation();
            m_conversations.refresh();
        }
        m_notices.showBanner(bannerOf(notice));
    });
    m_offers.refresh();
    chat.start();
}

void AppModel::serve(const StartRequest& request) {
    // Behind whatever shows the conversation that was open last.
    if (request.newChat)
        m_storage.run(
            this, [](history::HistoryReader&) { return Status(); },
            [this](const Status&) { m_actions.run("newConversation"); });
    if (!request.files.isEmpty()) emit filesGiven(request.files);
    m_crashes.look();  // last: what opens a file takes away the sentences that were there
}

QString AppModel::about() const {
    const auto text = [](std::string_view latin) {
        return QString::fromLatin1(latin.data(), static_cast<qsizetype>(latin.size()));
    };
    return aboutText(text(version()), QDate::fromString(text(releaseDate()), Qt::ISODate),
                     QDate::currentDate());
}

}  // namespace ingle::desktop
