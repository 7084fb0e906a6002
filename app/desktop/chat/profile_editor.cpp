#include "app/desktop/chat/profile_editor.h"

#include <QVariantMap>

#include <chrono>
#include <type_traits>
#include <utility>

#include "app/desktop/chat/profile_fields.h"
#include "app/desktop/services/error_sentences.h"
#include "app/desktop/services/text.h"
#include "app/desktop/services/while_alive.h"
#include "app/history/chats/conversations.h"
#include "app/history/chats/folders.h"
#include "app/history/chats/messages.h"
#include "app/history/turns.h"
#include "ingle/error_ids.h"

namespace ingle::desktop {
namespace {

using namespace std::chrono_literals;
using history::AnswerForm;
using history::Profile;

constexpr auto kProfilePause = 400ms;

}  // namespace

ProfileEditor::ProfileEditor(StorageThread& storage, EngineClient& engine, ChatController& chat,
                             ModelInUse& models, const Settings& settings, Notices& notices, QObject* parent)
    : QObject(parent),
      m_storage(storage),
      m_engine(engine),
      m_chat(chat),
      m_models(models),
      m_settings(settings),
      m_notices(notices),
      m_pause(this) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(kProfilePause);
    connect(&m_pause, &QTimer::timeout, this, &ProfileEditor::store);
    connect(&m_pause, &QTimer::timeout, this, &ProfileEditor::check);
    connect(this, &ProfileEditor::stored, &chat, &ChatController::readProfile);
}

ProfileEditor::~ProfileEditor() {
    close();
}

QVariantList ProfileEditor::fields() const {
    QVariantList list;
    for (const ProfileField& field : profileFields()) {
        // The last layer that sets it.
        QString usual, origin = tr("as the model has it");
        for (const Layer& layer : m_below) {
            const auto value = profileValue(layer.profile, field.key);
            if (!value) continue;
            usual = *value;
            origin = layer.origin;
        }
        QVariantMap map = mapOf(field);
        map.insert("usual", usual);
        map.insert("origin", origin);
        list << map;
    }
    return list;
}

std::vector<ProfileEditor::Layer> ProfileEditor::settingsAndModel() const {
    std::vector<Layer> layers{{tr("from the settings"), m_settings.profile()}};
    if (!m_models.current().id.empty())
        layers.push_back({tr("from the model"), history::profileFromJson(m_models.current().profile)});
    return layers;
}

void ProfileEditor::open(const QString& title, std::vector<Layer> below, Profile profile, Store store) {
    m_title = title;
    m_below = std::move(below);
    m_profile = std::move(profile);
    m_store = std::move(store);
    show({}, {});
    ++m_revision;
    emit valuesChanged();
    emit opened();
    check();
}

void ProfileEditor::storeBy(std::function<Status(history::History&)> work) {
    m_storage.run(this, std::move(work), [this](const Status& status) {
        if (!status) return m_notices.showError(Notices::Topic::History, status.error());
        emit stored();
    });
}

void ProfileEditor::editConversation() {
    struct Layers {
        Profile folder, own;
    };
    const auto id = static_cast<history::RowId>(m_chat.conversationId());
    const auto read = [id](history::HistoryReader& history) -> Result<Layers> {
        Layers layers;
        INGLE_TRY_ASSIGN(layers.own, history::conversationProfile(history, id));
        if (id == 0) return layers;
        INGLE_TRY_ASSIGN(const auto conversation, history::conversation(history, id));
        INGLE_TRY_ASSIGN(layers.folder, history::folderProfile(history, conversation.folder));
        return layers;
    };
    m_storage.readBehindWrites(this, read, [this, id](const Result<Layers>& layers) {
        if (!layers) return m_notices.showError(Notices::Topic::History, layers.error());
        auto below = settingsAndModel();
        below.push_back({tr("from the folder"), layers->folder});
        open(tr("Settings of this chat"), std::move(below), layers->own, [this, id](const Profile& profile) {
            storeBy([id, profile](history::History& history) {
                return history::setConversationProfile(history, id, profile);
            });
        });
    });
}

void ProfileEditor::editFolder(qint64 folder, const QString& name) {
    const auto read = [folder](history::HistoryReader& history) {
        return history::folderProfile(history, folder);
    };
    m_storage.readBehindWrites(this, read, [this, folder, name](const Result<Profile>& profile) {
        if (!profile) return m_notices.showError(Notices::Topic::History, profile.error());
        open(name, settingsAndModel(), *profile, [this, folder](const Profile& now) {
            storeBy([folder, now](history::History& history) {
                return history::setFolderProfile(history, folder, now);
            });
        });
    });
}

void ProfileEditor::editModel() {
    auto below = settingsAndModel();
    below.resize(1);
    open(m_models.currentName(), std::move(below), history::profileFromJson(m_models.current().profile),
         [this, id = m_models.current().id](const Profile& profile) {
             m_models.setProfile(id, profile == Profile{} ? "" : history::profileJson(profile));
         });
}

QString ProfileEditor::value(const QString& key) const {
    return profileValue(m_profile, key).value_or(QString());
}

bool ProfileEditor::isSet(const QString& key) const {
    return profileValue(m_profile, key).has_value();
}

void ProfileEditor::setValue(const QString& key, const QString& value) {
    if (value == this->value(key)) return;
    setProfileValue(m_profile, key, value);
    changed();
}

void ProfileEditor::setNone(const QString& key) {
    history::forEachField(
        [&]<typename T>(const char* name, std::optional<T>& field) {
            if constexpr (std::is_same_v<T, std::string>)
                if (key == QLatin1String(name)) field.emplace();
        },
        m_profile);
    changed();
}

void ProfileEditor::unset(const QString& key) {
    setProfileValue(m_profile, key, {});
    changed();
}

void ProfileEditor::changed() {
    ++m_revision;
    emit valuesChanged();
    m_pause.start();
}

void ProfileEditor::store() {
    Profile profile = m_profile;
    // A form without a text is none.
    if (profile.form && profile.form->kind != AnswerForm::Kind::Free &&
        toQString(profile.form->text).trimmed().isEmpty())
        profile.form.reset();
    if (m_store) m_store(profile);
}

void ProfileEditor::close() {
    if (m_pause.isActive()) store();
    m_pause.stop();
    m_engine.cancel(std::exchange(m_asked, 0));
    m_store = {};
    emit m_models.choicesSettled();
}

/// The engine says whether the model can follow the form, and what the template makes of a short chat.
void ProfileEditor::check() {
    m_engine.cancel(std::exchange(m_asked, 0));
    const bool hasForm = m_profile.form && m_profile.form->kind != AnswerForm::Kind::Free;
    const bool hasTemplate = m_profile.chatTemplate && !m_profile.chatTemplate->empty();
    const bool thinks = m_profile.thinking.value_or(Thinking::AsUsual) != Thinking::AsUsual;
    if (!hasForm && !hasTemplate && !thinks) return show({}, {});
    Profile all;
    for (const Layer& layer : m_below) all = history::layered(std::move(all), layer.profile);
    history::AnswerTerms terms = history::termsOf(history::layered(std::move(all), m_profile));
    terms.contextTokens = 0;
    if (!hasForm) terms.form = {};
    history::Turn turn;
    for (const QString& text : {tr("Hello!"), tr("Hello! What can I do for you?"), tr("What is 2 + 2?")}) {
        history::Message& message = turn.branch.emplace_back();
        message.role = turn.branch.size() % 2 == 0 ? Role::Assistant : Role::User;
        message.parts = {{PartKind::Text, text.toStdString(), {}}};
    }
    turn.branch.emplace_back();  // the answer
    m_asked = m_engine.preview(
        history::promptOf(turn, terms).request,
        whileAlive(this, [this, hasTemplate](const Result<PromptPreview>& preview) {
            m_asked = 0;
            // Without a model nobody knows.
            const bool refused = !preview && errorIdOf(preview.error()) == ErrorId::GrammarRefused;
            if (!preview) return show(refused ? errorSentence(preview.error()) : "", {});
            show(toQString(preview->plan.note), hasTemplate ? toQString(preview->text) : QString());
        }));
}

void ProfileEditor::show(const QString& problem, const QString& sample) {
    if (problem == m_problem && sample == m_sample) return;
    m_problem = problem;
    m_sample = sample;
    emit problemChanged();
}

}  // namespace ingle::desktop
