#include "app/desktop/chat/prompts.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QVariantMap>

#include <algorithm>
#include <utility>

#include "app/desktop/services/text.h"
#include "app/history/store/settings.h"

namespace ingle::desktop {
namespace {

const char* const kSetting = "prompts";  ///< a JSON list of objects with "name" and "text"

/// A name as people write it, so that braces of code are none.
const QRegularExpression& field() {
    static const QRegularExpression expression(R"(\{(\p{L}[\p{L}\p{N} _-]{0,39})\})",
                                               QRegularExpression::UseUnicodePropertiesOption);
    return expression;
}

template <typename Prompt>
QVariantMap described(const Prompt& prompt) {
    return {{"name", prompt.name}, {"text", prompt.text}};
}

}  // namespace

Prompts::Prompts(StorageThread& storage, Notices& notices, QObject* parent)
    : QObject(parent), m_storage(storage), m_notices(notices) {
    load();
}

void Prompts::load() {
    m_storage.readBehindWrites(
        this, [](history::HistoryReader& history) { return history::setting(history, kSetting); },
        [this](const Result<std::optional<std::string>>& stored) {
            if (!stored) return;  // the list of conversations says why
            m_read = true;
            if (!stored->has_value()) return setAll(starters());
            std::vector<Prompt> prompts;
            for (const QJsonValue& each :
                 QJsonDocument::fromJson(QByteArray::fromStdString(**stored)).array())
                prompts.push_back({each["name"].toString(), each["text"].toString()});
            setAll(std::move(prompts));
        });
}

std::vector<Prompts::Prompt> Prompts::starters() {
    return {
        {tr("Summarise"), tr("Summarise the following text in {sentences} sentences:\n\n{text}")},
        {tr("Explain simply"), tr("Explain {topic} in simple words, with one example from daily life.")},
        {tr("Translate"), tr("Translate the following text into {language}. Keep its tone:\n\n{text}")},
        {tr("Correct spelling"),
         tr("Correct spelling and grammar of the following text, and list what you changed:\n\n{text}")},
        {tr("Rewrite"), tr("Rewrite the following text so that it is {shorter or friendlier}:\n\n{text}")},
        {tr("Write an e-mail"), tr("Write an e-mail to {recipient} that says: {message}")},
        {tr("Reply"), tr("Write a polite reply to the following message that says {answer}:\n\n{text}")},
        {tr("Brainstorm"), tr("Give me ten different ideas for {goal}. One line each.")},
        {tr("For and against"), tr("List the best arguments for and against {question}, then weigh them.")},
        {tr("Plan"), tr("Make a step-by-step plan for {goal} in {time}. Name what could go wrong.")},
        {tr("Explain code"), tr("Explain what the following code does, and point out mistakes:\n\n{code}")},
        {tr("Quiz me"), tr("Ask me ten questions about {topic}, one at a time, and tell me how I did.")},
    };
}

QVariantList Prompts::all() const {
    return find({});
}

QVariantList Prompts::find(const QString& typed) const {
    QVariantList found;
    for (const Prompt& each : m_prompts)
        if (each.name.contains(typed, Qt::CaseInsensitive)) found.append(described(each));
    return found;
}

QStringList Prompts::fieldsOf(const QString& text) {
    QStringList fields;
    for (auto each = field().globalMatch(text); each.hasNext();) {
        const QString name = each.next().captured(1);
        if (!fields.contains(name)) fields.append(name);
    }
    return fields;
}

QString Prompts::filled(const QString& text, const QStringList& values) {
    const QStringList fields = fieldsOf(text);
    QString result;
    qsizetype end = 0;
    // From the text and not into what was filled in already: a value may hold braces.
    for (auto each = field().globalMatch(text); each.hasNext();) {
        const QRegularExpressionMatch match = each.next();
        result +=
            text.mid(end, match.capturedStart() - end) + values.value(fields.indexOf(match.captured(1)));
        end = match.capturedEnd();
    }
    return result + text.mid(end);
}

bool Prompts::store(const QString& before, const QString& name, const QString& text) {
    const QString wanted = name.simplified();
    if (wanted.isEmpty() || text.trimmed().isEmpty()) return false;
    const std::vector<Prompt> all = m_prompts;
    std::vector<Prompt> prompts = all;
    std::erase_if(prompts, [&](const Prompt& each) { return each.name == before; });
    const bool replaces = std::erase_if(prompts, [&](const Prompt& each) { return each.name == wanted; }) > 0;
    prompts.push_back({wanted, text});
    setAll(std::move(prompts));
    save();
    if (replaces)
        m_notices.showUndo(this, tr("Prompt “%1” replaced").arg(wanted), [this, all] {
            setAll(all);
            save();
        });
    return true;
}

void Prompts::remove(const QString& name) {
    const std::vector<Prompt> before = m_prompts;
    std::vector<Prompt> prompts = m_prompts;
    if (std::erase_if(prompts, [&](const Prompt& each) { return each.name == name; }) == 0) return;
    setAll(std::move(prompts));
    save();
    m_notices.showUndo(this, tr("Prompt “%1” deleted").arg(name), [this, before] {
        setAll(before);
        save();
    });
}

void Prompts::setAll(std::vector<Prompt> prompts) {
    m_prompts = std::move(prompts);
    std::ranges::sort(m_prompts, [](const Prompt& a, const Prompt& b) {
        return QString::localeAwareCompare(a.name, b.name) < 0;
    });
    emit changed();
}

void Prompts::save() {
    if (!m_read) return;
    QJsonArray list;
    for (const Prompt& each : m_prompts) list.append(QJsonObject{{"name", each.name}, {"text", each.text}});
    const auto work = [text = QJsonDocument(list).toJson(QJsonDocument::Compact).toStdString()](
                          history::History& history) { return history::setSetting(history, kSetting, text); };
    m_storage.run(this, work, [this](const Status& stored) {
        if (!stored) m_notices.showError(Notices::Topic::History, stored.error());
    });
}

}  // namespace ingle::desktop
