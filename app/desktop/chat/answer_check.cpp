#include "app/desktop/chat/answer_check.h"

#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

#include "app/desktop/services/text.h"
#include "app/desktop/services/while_alive.h"
#include "app/history/chats/messages.h"
#include "app/protocol/remote.h"

namespace ingle::desktop {
namespace {

using history::Message;
using history::RowId;

/// Everything that a person chose when the model was loaded.
auto loadedWith(const Receipt& receipt) {
    return std::tie(receipt.kv, receipt.activations, receipt.referenceKernels, receipt.overrides);
}

/// For a sentence: no line breaks.
QString quoted(const ScoredToken& token) {
    QString text = toQString(token.text);
    return text.replace('\n', QStringLiteral("↵"));
}

/// Where the person chose another word than the model: there an answer leaves an older version of it.
Result<std::set<size_t>> chosenWords(history::HistoryReader& history, const Message& answer) {
    std::set<size_t> chosen;
    INGLE_TRY_ASSIGN(const std::vector<RowId> versions, history::siblings(history, answer.id));
    for (const RowId each : versions) {
        if (each >= answer.id) continue;
        INGLE_TRY_ASSIGN(const Message older, history::message(history, each));
        const auto [mine, others] = std::ranges::mismatch(answer.tokenIds, older.tokenIds);
        const bool parts = mine != answer.tokenIds.begin() && mine != answer.tokenIds.end() &&
                           others != older.tokenIds.end();
        if (parts) chosen.insert(static_cast<size_t>(mine - answer.tokenIds.begin()));
    }
    return chosen;
}

}  // namespace

QStringList changesSince(const Message& answer, const protocol::Scored& now) {
    QStringList changes;
    const Receipt& then = answer.receipt.engine;
    const Receipt& today = now.receipt;
    if (!answer.receipt.exists()) {
        changes += AnswerCheck::tr("What made this answer was not recorded.");
    } else {
        if (then.modelHash.empty() || today.modelHash.empty())
            changes += AnswerCheck::tr("Whether the model file is still the same is not known.");
        else if (then.modelHash != today.modelHash)
            changes += AnswerCheck::tr("The model file is another one now.");
        if (then.program != today.program)
            changes += AnswerCheck::tr("Version %1 wrote it, and this is version %2.")
                           .arg(toQString(then.program), toQString(today.program));
        if (then.device != today.device || then.backend != today.backend)
            changes += AnswerCheck::tr("It was written on %1, and %2 computes now.")
                           .arg(toQString(then.device), toQString(today.device));
        else if (then.instructions != today.instructions)
            changes += AnswerCheck::tr("It was written with %1 instructions, and %2 are used now.")
                           .arg(toQString(then.instructions), toQString(today.instructions));
        if (loadedWith(then) != loadedWith(today))
            changes += AnswerCheck::tr("The model is loaded with other settings now.");
    }
    if (answer.promptHash != now.scores.promptHash)
        changes += AnswerCheck::tr("What stands before the answer is not what the model was given then.");
    if (today.instructions.empty())  // of a processor only
        changes += AnswerCheck::tr("On a graphics device the same tokens are not promised.");
    return changes;
}

std::ptrdiff_t firstDifference(const Scores& scores, const std::set<size_t>& chosen) {
    for (size_t at = 0; at < scores.positions.size(); ++at) {
        const ScoredPosition& position = scores.positions[at];
        if (position.chosen.id != position.stored.id && !chosen.contains(at))
            return static_cast<std::ptrdiff_t>(at);
    }
    return -1;
}

QString comparison(const Scores& scores, const std::set<size_t>& chosen) {
    const std::ptrdiff_t first = firstDifference(scores, chosen);
    if (first < 0) {
        const QString identical =
            AnswerCheck::tr("Identical: %n tokens.", nullptr, static_cast<int>(scores.positions.size()));
        return chosen.empty() ? identical
                              : identical + ' ' + AnswerCheck::tr("The word that you chose is not counted.");
    }
    QString before;
    for (const ScoredPosition& position : std::span(scores.positions).first(static_cast<size_t>(first)))
        before += toQString(position.stored.text);
    const ScoredPosition& other = scores.positions[static_cast<size_t>(first)];
    qsizetype word = before.split(QRegularExpression("\\s+"), Qt::SkipEmptyParts).size();
    const QString next = toQString(other.stored.text);
    if (before.isEmpty() || before.back().isSpace() || next.isEmpty() || next.front().isSpace()) ++word;
    return AnswerCheck::tr("Not identical: from word %1 on the model now writes “%2”.")
        .arg(QLocale().toString(word), quoted(other.chosen).trimmed());
}

QString comparisonDetails(const Scores& scores, const std::set<size_t>& chosen) {
    const std::ptrdiff_t first = firstDifference(scores, chosen);
    if (first < 0) return {};
    const ScoredPosition& other = scores.positions[static_cast<size_t>(first)];
    return AnswerCheck::tr("Token %1: stored “%2”, now “%3” (logits %4 apart)")
        .arg(first + 1)
        .arg(quoted(other.stored), quoted(other.chosen),
             QString::number(std::abs(double{other.margin}), 'g', 3));
}

bool AnswerCheck::canCheck(RowId message) const {
    const Message* answer = m_chat.messages()->find(message);
    if (answer == nullptr || answer->role != Role::Assistant || !m_chat.mayAnswer()) return false;
    return protocol::isRemote(answer->modelId) ||
           (answer->modelId == m_models.current().id && m_models.state() == ModelInUse::Ready);
}

void AnswerCheck::check(RowId message) {
    if (!canCheck(message)) return;
    if (protocol::isRemote(m_chat.messages()->find(message)->modelId))
        return m_notices.showToast(tr("Not verifiable: another computer wrote this answer."));
    m_engine.cancel(std::exchange(m_request, 0));
    struct Checked {
        history::Turn turn;
        std::set<size_t> chosen;
    };
    const auto branch = [conversation = static_cast<RowId>(m_chat.conversationId()),
                         message](history::HistoryReader& history) -> Result<Checked> {
        INGLE_TRY_ASSIGN(history::Turn turn, history::readAnswer(history, conversation, message));
        INGLE_TRY_ASSIGN(std::set<size_t> chosen, chosenWords(history, turn.branch.back()));
        return Checked{std::move(turn), std::move(chosen)};
    };
    m_storage.readBehindWrites(this, branch, [this, number = ++m_numChecks](const Result<Checked>& checked) {
        if (number != m_numChecks) return;
        if (!checked) return m_notices.showError(Notices::Topic::History, checked.error());
        const Message& answer = checked->turn.branch.back();
        if (answer.tokenIds.empty()) return m_notices.showToast(tr("This answer has no tokens to check."));
        m_courier.ask<protocol::Scored>(
            this,
            [this, number, replay = history::replayOf(checked->turn, m_chat.terms())](const auto& done) {
                if (number == m_numChecks) m_request = m_engine.score(replay, done);
            },
            [this, number, answer, chosen = checked->chosen](const Result<protocol::Scored>& scored) {
                if (number != m_numChecks) return;
                m_request = 0;
                tell(answer, chosen, scored);
            });
    });
}

void AnswerCheck::tell(const Message& answer, const std::set<size_t>& chosen,
                       const Result<protocol::Scored>& scored) {
    if (!scored) return m_notices.showError(Notices::Topic::Check, scored.error());
    QStringList changes = changesSince(answer, *scored);
    SamplerParams sampler = m_chat.sampler();
    sampler.seed = answer.sampler.seed;  // a new one for every answer
    if (answer.receipt.terms && (*answer.receipt.terms != m_chat.terms() || answer.sampler != sampler))
        changes += tr("It was checked with the settings that it was written with; new answers have others.");
    const QString result = comparison(scored->scores, chosen);
    m_notices.clearBanner(Notices::Topic::Check);
    const bool identical = firstDifference(scored->scores, chosen) < 0;
    if (identical && changes.isEmpty()) return m_notices.showToast(result);
    m_notices.showBanner({.topic = Notices::Topic::Check,
                          .sentence = (QStringList{result} + changes).join(' '),
                          .details = comparisonDetails(scored->scores, chosen)});
}

}  // namespace ingle::desktop
