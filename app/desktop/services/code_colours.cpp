#include "app/desktop/services/code_colours.h"

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>
#include <utility>

#include "app/content/code_language.h"
#include "app/desktop/services/text.h"

namespace ingle::desktop {
namespace {

constexpr qsizetype kMostCode = 64 * 1024;  // UTF-16 units
constexpr int kMostAnswersKnown = 2000;     // answers

constexpr std::array kColourNames{std::pair{CodeColour::Comment, QLatin1String("comment")},
                                  std::pair{CodeColour::String, QLatin1String("string")},
                                  std::pair{CodeColour::Keyword, QLatin1String("keyword")},
                                  std::pair{CodeColour::Number, QLatin1String("number")},
                                  std::pair{CodeColour::Name, QLatin1String("name")},
                                  std::pair{CodeColour::Type, QLatin1String("type")},
                                  std::pair{CodeColour::Variable, QLatin1String("variable")},
                                  std::pair{CodeColour::Added, QLatin1String("added")},
                                  std::pair{CodeColour::Removed, QLatin1String("removed")}};

/// What models write after a fence, where Prism has another name for it and does not know this one.
constexpr std::array kOtherNames{std::pair{"c++", "cpp"},        std::pair{"h", "c"},
                                 std::pair{"hpp", "cpp"},        std::pair{"c#", "csharp"},
                                 std::pair{"golang", "go"},      std::pair{"rs", "rust"},
                                 std::pair{"zsh", "bash"},       std::pair{"console", "shell-session"},
                                 std::pair{"ps1", "powershell"}, std::pair{"jsonc", "json5"},
                                 std::pair{"make", "makefile"},  std::pair{"jl", "julia"},
                                 std::pair{"ex", "elixir"},      std::pair{"objective-c", "objectivec"},
                                 std::pair{"f#", "fsharp"},      std::pair{"asm", "nasm"},
                                 std::pair{"patch", "diff"},     std::pair{"node", "javascript"},
                                 std::pair{"python3", "python"}, std::pair{"bat", "batch"},
                                 std::pair{"postgresql", "sql"}, std::pair{"mysql", "sql"},
                                 std::pair{"sqlite", "sql"}};

QString languageOf(const QString& label) {
    const std::string language = content::codeLanguage(label.toStdString());
    const auto other =
        std::ranges::find_if(kOtherNames, [&](const auto& row) { return language == row.first; });
    return other == kOtherNames.end() ? toQString(language) : QString(other->second);
}

CodeColours::Spans spansOf(const QJsonArray& array) {
    CodeColours::Spans spans;
    for (qsizetype i = 0; i + 2 < array.size(); i += 3) {
        const QString name = array[i + 2].toString();
        const auto colour =
            std::ranges::find_if(kColourNames, [&](const auto& row) { return name == row.second; });
        if (colour != kColourNames.end())
            spans.append({array[i].toInt(), array[i + 1].toInt(), colour->first});
    }
    return spans;
}

}  // namespace

CodeColours::CodeColours(QString program, QObject* parent, TypesetterPatience patience)
    : QObject(parent), m_typesetter(std::move(program), patience), m_known(kMostAnswersKnown) {}

void CodeColours::ask(const QString& label, const QString& code, QObject* context, Then then) {
    const QString language = languageOf(label);
    if (language.isEmpty() || code.isEmpty() || code.size() > kMostCode || !m_typesetter.exists())
        return then({});
    const QJsonObject question{{"language", language}, {"code", code}};
    const QByteArray key = QCryptographicHash::hash(QJsonDocument(question).toJson(QJsonDocument::Compact),
                                                    QCryptographicHash::Sha1);
    if (const Spans* known = m_known.object(key)) return then(*known);
    // The one that asks again has more to ask, and what was asked long ago has been scrolled away.
    m_typesetter.forget(context);
    m_typesetter.ask(
        question, context,
        [this, key, then = std::move(then)](const QJsonObject& answer, Typesetter::Memory memory) {
            const Spans spans = spansOf(answer["spans"].toArray());
            if (memory == Typesetter::Memory::Keep) m_known.insert(key, new Spans(spans));
            then(spans);
        });
}

}  // namespace ingle::desktop
