#include "app/desktop/chat/profile_editor.h"

#include <QCoreApplication>
#include <QLocale>
#include <QVariantMap>

#include <chrono>
#include <type_traits>
#include <utility>

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
constexpr const char* kContext = "ProfileEditor";

struct Choice {
    const char* value;
    const char* name;
};
constexpr Choice kWhenFull[]{{"drop_oldest", QT_TRANSLATE_NOOP("ProfileEditor", "Drop the oldest messages")},
                             {"refuse", QT_TRANSLATE_NOOP("ProfileEditor", "Stop and ask")}};
constexpr Choice kThinking[]{{"as_usual", QT_TRANSLATE_NOOP("ProfileEditor", "As the model likes")},
                             {"on", QT_TRANSLATE_NOOP("ProfileEditor", "Think first")},
                             {"off", QT_TRANSLATE_NOOP("ProfileEditor", "Answer at once")}};
constexpr Choice kForms[]{{"free", QT_TRANSLATE_NOOP("ProfileEditor", "Free")},
                          {"json_schema", QT_TRANSLATE_NOOP("ProfileEditor", "JSON Schema")},
                          {"grammar", QT_TRANSLATE_NOOP("ProfileEditor", "Grammar (GBNF)")}};

struct Field {
    const char* key;
    const char* name;
    const char* kind;
    std::span<const Choice> choices = {};
    const char* none = "";
    double from = 0, to = 0;  ///< of a number
    int decimals = 0;
};
/// Under the names of the profile's fields, but that the form of answers is a choice and a text.
constexpr Field kFields[]{
    {"systemPrompt",
     QT_TRANSLATE_NOOP("ProfileEditor", "Instructions before the conversation"),
     "text",
     {},
     QT_TRANSLATE_NOOP("ProfileEditor", "No instructions")},
    {"maxTokens",
     QT_TRANSLATE_NOOP("ProfileEditor", "Maximum answer length (tokens; 0 = no limit)"),
     "number",
     {},
     "",
     0,
     1048576},
    {"contextTokens",
     QT_TRANSLATE_NOOP("ProfileEditor", "Context (tokens; 0 = as much as the model has)"),
     "number",
     {},
     "",
     0,
     1048576},
    {"whenFull",
     QT_TRANSLATE_NOOP("ProfileEditor", "When the conversation is longer than the model's context"), "choice",
     kWhenFull},
    {"temperature",
     QT_TRANSLATE_NOOP("ProfileEditor", "Temperature (0 = always the likeliest word)"),
     "number",
     {},
     "",
     0,
     5,
     2},
    {"topK",
     QT_TRANSLATE_NOOP("ProfileEditor", "Top-k: choose among so many of the likeliest words (0 = all)"),
     "number",
     {},
     "",
     0,
     100000},
    {"topP",
     QT_TRANSLATE_NOOP("ProfileEditor", "Top-p: choose among words that together have this probability"),
     "number",
     {},
     "",
     0,
     1,
     3},
    {"minP",
     QT_TRANSLATE_NOOP("ProfileEditor",
                       "Min-p: leave out words less likely than this share of the likeliest"),
     "number",
     {},
     "",
     0,
     1,
     3},
    {"repeatPenalty",
     QT_TRANSLATE_NOOP("ProfileEditor", "Repeat penalty (1 = none)"),
     "number",
     {},
     "",
     1,
     3,
     2},
    {"thinking", QT_TRANSLATE_NOOP("ProfileEditor", "Thoughts before the answer"), "choice", kThinking},
    {"form", QT_TRANSLATE_NOOP("ProfileEditor", "Form of answers"), "choice", kForms},
    {"formText", QT_TRANSLATE_NOOP("ProfileEditor", "Schema or grammar"), "code"},
    {"chatTemplate",
     QT_TRANSLATE_NOOP("ProfileEditor", "Chat template (Jinja), in place of the model's own"),
     "code",
     {},
     QT_TRANSLATE_NOOP("ProfileEditor", "The model's own")},
};

QString words(const char* text) {
    return QCoreApplication::translate(kContext, text);
}

// In the order of the enumerators.
std::span<const Choice> choicesOf(WhenFull) {
    return kWhenFull;
}
std::span<const Choice> choicesOf(Thinking) {
    return kThinking;
}

/// A member of a profile as text, and back; a text that is none sets nothing.
QString textOf(const std::string& value) {
    return toQString(value);
}
template <typename Enum>
requires std::is_enum_v<Enum> QString textOf(Enum value) {
    return choicesOf(value)[static_cast<size_t>(value)].value;
}
template <typename Number>
requires std::is_arithmetic_v<Number> QString textOf(Number value) {
    return QLocale::c().toString(static_cast<double>(value), 'g', 7);
}
void read(const QString& text, std::optional<std::string>& field) {
    field.reset();
    if (!text.trimmed().isEmpty()) field = text.toStdString();
}
template <typename Enum>
requires std::is_enum_v<Enum>
void read(const QString& text, std::optional<Enum>& field) {
    field.reset();
    const auto choices = choicesOf(Enum{});
    for (size_t value = 0; value < choices.size(); ++value)
        if (text == QLatin1String(choices[value].value)) field = static_cast<Enum>(value);
}
template <typename Number>
requires std::is_arithmetic_v<Number>
void read(const QString& text, std::optional<Number>& field) {
    bool isNumber = false;
    const double number = text.toDouble(&isNumber);
    field.reset();
    if (isNumber) field = static_cast<Number>(number);
}

/// Nothing: not set.
std::optional<QString> valueOf(const Profile& profile, const QString& key) {
    std::optional<QString> value;
    if (key == QLatin1String("form")) {
        if (profile.form) value = kForms[static_cast<size_t>(profile.form->kind)].value;
        return value;
    }
    if (key == QLatin1String("formText")) {
        if (profile.form) value = toQString(profile.form->text);
        return value;
    }
    history::forEachField(
        [&]<typename T>(const char* name, const std::optional<T>& field) {
            if constexpr (!std::is_same_v<T, AnswerForm>)
                if (field && key == QLatin1String(name)) value = textOf(*field);
        },
        profile);
    return value;
}

void setValueOf(Profile& profile, const QString& key, const QString& value) {
    if (key == QLatin1String("form")) {
        const std::string text = profile.form ? profile.form->text : std::string();
        profile.form.reset();
        for (size_t kind = 0; kind < std::size(kForms); ++kind)
            if (value == QLatin1String(kForms[kind].value))
                profile.form = AnswerForm{static_cast<AnswerForm::Kind>(kind), text};
        return;
    }
    if (key == QLatin1String("formText")) {
        if (profile.form) profile.form->text = value.toStdString();
        return;
    }
    history::forEachField(
        [&]<typename T>(const char* name, std::optional<T>& field) {
            if constexpr (!std::is_same_v<T, AnswerForm>)
                if (key == QLatin1String(name)) read(value, field);
        },
        profile);
}

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
    for (const Field& field : kFields) {
        // The last layer that sets it.
        QString usual, origin = tr("as the model has it");
        for (const Layer& layer : m_below) {
            const auto value = valueOf(layer.profile, field.key);
            if (!value) continue;
            usual = *value;
            origin = layer.origin;
        }
        QVariantList choices;
        for (const Choice& choice : field.choices)
            choices << QVariantMap{{"value", choice.value}, {"name", words(choice.name)}};
        list << QVariantMap{{"key", field.key},   {"name", words(field.name)},
                            {"kind", field.kind}, {"from", field.from},
                            {"to", field.to},     {"decimals", field.decimals},
                            {"choices", choices}, {"none", *field.none ? words(field.none) : QString()},
                            {"usual", usual},     {"origin", origin}};
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
    return valueOf(m_profile, key).value_or(QString());
}

bool ProfileEditor::isSet(const QString& key) const {
    return valueOf(m_profile, key).has_value();
}

void ProfileEditor::setValue(const QString& key, const QString& value) {
    if (value == this->value(key)) return;
    setValueOf(m_profile, key, value);
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
    setValueOf(m_profile, key, {});
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
