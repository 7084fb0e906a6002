#include "app/desktop/chat/answer_check.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "app/desktop/services/text.h"
#include "app/desktop/services/while_alive.h"
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

QString comparison(const Scores& scores) {
    const auto other = std::ranges::find_if(scores.positions, [](const ScoredPosition& position) {
        return position.chosen.id != position.stored.id;
    });
    if (other == scores.positions.end())
        return AnswerCheck::tr("Identical: %n tokens.", nullptr, static_cast<int>(scores.positions.size()));
    return AnswerCheck::tr("First differs at token %1: stored “%2”, now “%3” (logits %4 apart).")
        .arg(other - scores.positions.begin() + 1)
        .arg(quoted(other->stored), quoted(other->chosen),
             QString::number(std::abs(double{other->margin}), 'g', 3));
}

bool AnswerCheck::canCheck(RowId message) const {
    const Message* answer = m_chat.messages()->find(message);
    if (answer == nullptr || answer->role != Role::Assistant || !m_chat.mayAnswer()) return false;
    return protocol::isRemote(answer->modelId) ||
           (answer->modelId == m_models.current().id && m_models.state() == ModelListModel::Ready);
}

void AnswerCheck::check(RowId message) {
    if (!canCheck(message)) return;
    if (protocol::isRemote(m_chat.messages()->find(message)->modelId))
        return m_notices.showToast(tr("Not verifiable: another computer wrote this answer."));
    m_engine.cancel(std::exchange(m_request, 0));
    const auto branch = [conversation = static_cast<RowId>(m_chat.conversationId()),
                         message](history::HistoryReader& history) {
        return history::readAnswer(history, conversation, message);
    };
    m_storage.readBehindWrites(
        this, branch, [this, number = ++m_numChecks](const Result<history::Turn>& turn) {
            if (number != m_numChecks) return;
            if (!turn) return m_notices.showError(Notices::Topic::History, turn.error());
            const Message& answer = turn->branch.back();
            if (answer.tokenIds.empty())
                return m_notices.showToast(tr("This answer has no tokens to check."));
            m_request = m_engine.score(
                history::replayOf(*turn, m_chat.terms()),
                whileAlive(this, [this, number, answer](const Result<protocol::Scored>& scored) {
                    if (number != m_numChecks) return;
                    m_request = 0;
                    tell(answer, scored);
                }));
        });
}

void AnswerCheck::tell(const Message& answer, const Result<protocol::Scored>& scored) {
    if (!scored) return m_notices.showError(Notices::Topic::Check, scored.error());
    QStringList changes = changesSince(answer, *scored);
    SamplerParams sampler = m_chat.sampler();
    sampler.seed = answer.sampler.seed;  // a new one for every answer
    if (answer.receipt.terms && (*answer.receipt.terms != m_chat.terms() || answer.sampler != sampler))
        changes += tr("It was checked with the settings that it was written with; new answers have others.");
    const QString result = comparison(scored->scores);
    m_notices.clearBanner(Notices::Topic::Check);
    const bool identical = std::ranges::all_of(scored->scores.positions, [](const ScoredPosition& position) {
        return position.chosen.id == position.stored.id;
    });
    if (identical && changes.isEmpty()) return m_notices.showToast(result);
    m_notices.showBanner({Notices::Topic::Check, (QStringList{result} + changes).join(' ')});
}

}  // namespace ingle::desktop
