#include "app/desktop/chat/profile_fields.h"

#include <QCoreApplication>
#include <QLocale>

#include <type_traits>

#include "app/desktop/services/text.h"

namespace ingle::desktop {
namespace {

using history::AnswerForm;
using history::Profile;

constexpr const char* kContext = "ProfileEditor";

using Choice = ProfileChoice;
constexpr Choice kWhenFull[]{{"drop_oldest", QT_TRANSLATE_NOOP("ProfileEditor", "Drop the oldest messages")},
                             {"refuse", QT_TRANSLATE_NOOP("ProfileEditor", "Stop and ask")}};
constexpr Choice kThinking[]{{"as_usual", QT_TRANSLATE_NOOP("ProfileEditor", "As the model likes")},
                             {"on", QT_TRANSLATE_NOOP("ProfileEditor", "Think first")},
                             {"off", QT_TRANSLATE_NOOP("ProfileEditor", "Answer at once")}};
constexpr Choice kForms[]{{"free", QT_TRANSLATE_NOOP("ProfileEditor", "Free")},
                          {"json_schema", QT_TRANSLATE_NOOP("ProfileEditor", "JSON Schema")},
                          {"grammar", QT_TRANSLATE_NOOP("ProfileEditor", "Grammar (GBNF)")}};

constexpr ProfileField kFields[]{
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

}  // namespace

std::span<const ProfileField> profileFields() {
    return kFields;
}

QVariantMap mapOf(const ProfileField& field) {
    QVariantList choices;
    for (const Choice& choice : field.choices)
        choices << QVariantMap{{"value", choice.value}, {"name", words(choice.name)}};
    return {{"key", field.key},   {"name", words(field.name)},
            {"kind", field.kind}, {"from", field.from},
            {"to", field.to},     {"decimals", field.decimals},
            {"choices", choices}, {"none", *field.none ? words(field.none) : QString()}};
}

std::optional<QString> profileValue(const Profile& profile, const QString& key) {
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

void setProfileValue(Profile& profile, const QString& key, const QString& value) {
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

}  // namespace ingle::desktop
