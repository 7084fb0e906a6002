#include "app/desktop/services/actions.h"

#include <QCoreApplication>
#include <QVariantMap>

#include <algorithm>
#include <array>
#include <iterator>

#include "app/desktop/services/synonyms.h"

namespace ingle::desktop {
namespace {

constexpr const char* kContext = "Actions";

QString wordsOf(const Action& action) {
    return QCoreApplication::translate(kContext, action.words);
}

/// The keys that have a name, as keyboards of English-speaking countries say it.
constexpr std::array kKeyNames{QT_TRANSLATE_NOOP("Keys", "Ctrl"), QT_TRANSLATE_NOOP("Keys", "Shift"),
                               QT_TRANSLATE_NOOP("Keys", "Enter"), QT_TRANSLATE_NOOP("Keys", "Backspace")};

QString keysOf(const Action& action) {
    QString keys = QString::fromUtf8(action.keys);
    for (const char* name : kKeyNames) keys.replace(name, QCoreApplication::translate("Keys", name));
    return keys;
}

QStringList sequences(const Action& action) {
    QStringList all = QString(action.moreKeys).split(' ', Qt::SkipEmptyParts);
    if (action.keys[0] != 0) all.prepend(action.keys);
    return all;
}

}  // namespace

void Actions::add(std::vector<Action> table) {
    std::ranges::move(table, std::back_inserter(m_all));
}

std::function<void(history::RowId)> Actions::showPage(const char* page) {
    return [this, page](history::RowId) { emit pageWanted(QString::fromLatin1(page)); };
}

void Actions::refresh() {
    ++m_revision;
    emit changed();
}

const Action* Actions::named(const QString& id) const {
    const auto found =
        std::ranges::find_if(m_all, [&id](const Action& each) { return id == QLatin1String(each.id); });
    return found == m_all.end() ? nullptr : &*found;
}

QVariantMap Actions::described(const Action& action, qint64 target) const {
    QString words = wordsOf(action);
    if (action.scope == ActionScope::Selection && m_count && action.wordsForSeveral[0] != 0) {
        const int count = m_count(targetOf(action, target));
        if (count > 1) words = QCoreApplication::translate(kContext, action.wordsForSeveral, nullptr, count);
    }
    return {{"id", action.id},
            {"words", words},
            {"keys", keysOf(action)},
            {"icon", action.icon},
            {"sequences", sequences(action)},
            {"anywhere", action.scope == ActionScope::Window}};
}

template <typename Condition>
QVariantList Actions::listed(const Condition& condition, qint64 target) const {
    QVariantList list;
    for (const Action& each : m_all) {
        if (condition(each)) list.append(described(each, target));
    }
    return list;
}

QVariantList Actions::withKeys() const {
    return listed([](const Action& each) { return each.keys[0] != 0; });
}

QVariantList Actions::shortcuts() const {
    return listed([](const Action& each) { return each.run && !sequences(each).isEmpty(); });
}

history::RowId Actions::targetOf(const Action& action, qint64 target) const {
    const auto found = m_targets.find(action.scope);
    return target != 0 || found == m_targets.end() ? target : found->second();
}

bool Actions::can(const Action& action, qint64 target) const {
    return action.run && (!action.enabled || action.enabled(targetOf(action, target)));
}

bool Actions::can(const QString& id, qint64 target) const {
    const Action* action = named(id);
    return action != nullptr && can(*action, target);
}

void Actions::run(const QString& id, qint64 target) {
    const Action* action = named(id);
    if (action != nullptr && can(*action, target)) action->run(targetOf(*action, target));
}

QString Actions::words(const QString& id) const {
    const Action* action = named(id);
    return action == nullptr ? QString() : wordsOf(*action);
}

QString Actions::iconOf(const QString& id) const {
    const Action* action = named(id);
    return action == nullptr ? QString() : QString::fromLatin1(action->icon);
}

QString Actions::hint(const QString& id) const {
    const Action* action = named(id);
    if (action == nullptr) return {};
    return action->keys[0] == 0 ? wordsOf(*action) : tr("%1 (%2)").arg(wordsOf(*action), keysOf(*action));
}

QVariantList Actions::ofConversation(qint64 conversation) const {
    return listed(
        [&](const Action& each) {
            const bool isOne =
                each.scope == ActionScope::Conversation || each.scope == ActionScope::Selection;
            return isOne && can(each, conversation);
        },
        conversation);
}

QVariantList Actions::ofMessage(qint64 message) const {
    return listed([&](const Action& each) {
        const bool isOne = each.scope == ActionScope::Message || each.scope == ActionScope::Question;
        return isOne && can(each, message);
    });
}

QVariantList Actions::find(const QString& text) const {
    const QStringList wanted = text.split(' ', Qt::SkipEmptyParts);
    const auto hasAll = [&](const QString& name) {
        return std::ranges::all_of(
            wanted, [&](const QString& word) { return name.contains(word, Qt::CaseInsensitive); });
    };
    const auto isNamed = [&](const Action& each) { return hasAll(wordsOf(each)); };
    return listed([&](const Action& each) { return can(each, 0) && isNamed(each); }) +
           listed([&](const Action& each) {
               return can(each, 0) && !isNamed(each) && hasAll(wordsOf(each) + ' ' + synonymsOf(each.id));
           });
}

}  // namespace ingle::desktop
