#include "app/desktop/code_colours.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "app/content/code_language.h"
#include "app/desktop/text.h"

namespace ingle::desktop {
namespace {

constexpr qsizetype kMostCode = 64 * 1024;  // UTF-16 units
constexpr int kMostKnown = 2000;            // answers
constexpr size_t kMostWaiting = 200;

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

QString findTypesetter() {
    const QDir beside(QCoreApplication::applicationDirPath());
    for (const char* place : {"inglenook-typeset", "../libexec/inglenook/inglenook-typeset"})
        if (QFileInfo(beside.filePath(place)).isExecutable()) return beside.filePath(place);
    return {};
}

CodeColours::CodeColours(QString program, QObject* parent)
    : CodeColours(std::move(program), parent, Patience()) {}

CodeColours::CodeColours(QString program, QObject* parent, Patience patience)
    : QObject(parent),
      m_program(std::move(program)),
      m_child(this),
      m_limits(patience),
      m_patience(this),
      m_known(kMostKnown) {
    m_child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    m_patience.setSingleShot(true);
    connect(&m_patience, &QTimer::timeout, this, &CodeColours::giveUp);
    connect(&m_child, &QProcess::readyReadStandardOutput, this, &CodeColours::read);
    connect(&m_child, &QProcess::finished, this, [this] {
        const bool wasWarm = std::exchange(m_warm, false);
        if (m_asked) answer({}, wasWarm ? Memory::Keep : Memory::AskAgain);
    });
    connect(&m_child, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        m_program.clear();  // it will not start the next time either
        if (m_asked) answer({});
    });
}

CodeColours::~CodeColours() {
    m_child.disconnect(this);
    m_child.kill();
    m_child.waitForFinished(200);
}

void CodeColours::ask(const QString& label, const QString& code, QObject* context, Then then) {
    const QString language = languageOf(label);
    if (language.isEmpty() || code.isEmpty() || code.size() > kMostCode || m_program.isEmpty())
        return then({});
    const QByteArray line =
        QJsonDocument(QJsonObject{{"language", language}, {"code", code}}).toJson(QJsonDocument::Compact);
    const QByteArray key = QCryptographicHash::hash(line, QCryptographicHash::Sha1);
    if (const Spans* known = m_known.object(key)) return then(*known);
    // The one that asks again has more to ask, and what was asked long ago has been scrolled away.
    std::erase_if(m_waiting, [&](const Question& each) { return !each.context || each.context == context; });
    if (m_waiting.size() == kMostWaiting) m_waiting.pop_front();
    m_waiting.push_back({key, line, context, std::move(then)});
    if (!m_asked) next();
}

void CodeColours::next() {
    if (m_asked) return;
    while (!m_asked && !m_waiting.empty()) {
        // The newest is in view.
        Question question = std::move(m_waiting.back());
        m_waiting.pop_back();
        if (!question.context) continue;
        m_asked = std::move(question);
    }
    if (!m_asked) return;
    if (m_child.state() == QProcess::NotRunning) m_child.start(m_program, {});
    m_child.write(m_asked->line + '\n');
    m_patience.start(m_warm ? m_limits.answer : m_limits.start);
}

void CodeColours::read() {
    if (!m_child.canReadLine()) return;
    const QByteArray line = m_child.readLine();
    m_warm = true;
    if (m_asked) answer(spansOf(QJsonDocument::fromJson(line).object()["spans"].toArray()));
}

void CodeColours::answer(const Spans& spans, Memory memory) {
    m_patience.stop();
    const Question asked = std::move(*m_asked);
    m_asked.reset();
    if (memory == Memory::Keep) m_known.insert(asked.key, new Spans(spans));
    if (asked.context) asked.then(spans);
    // Also when the child has just ended: it is started again from the event loop.
    QMetaObject::invokeMethod(this, &CodeColours::next, Qt::QueuedConnection);
}

void CodeColours::giveUp() {
    m_child.kill();  // finished() follows, which answers
}

}  // namespace ingle::desktop
