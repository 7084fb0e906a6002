#include "app/desktop/chat/another_word.h"

#include <QTextBoundaryFinder>
#include <QVariantMap>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/content/selection.h"
#include "app/content/source_place.h"
#include "app/desktop/services/error_sentences.h"
#include "app/desktop/services/text.h"
#include "app/desktop/services/while_alive.h"

namespace ingle::desktop {
namespace {

using history::Message;
using history::RowId;

constexpr uint32_t kWords = 5;

/// From begin to end of the word at a place; its end belongs to it.
std::pair<qsizetype, qsizetype> wordAt(const QString& text, qsizetype offset) {
    offset = std::min(offset, text.size());
    const auto isLetter = [&text](qsizetype at) { return at < text.size() && text[at].isLetterOrNumber(); };
    if (offset > 0 && !isLetter(offset)) --offset;
    QTextBoundaryFinder finder(QTextBoundaryFinder::Word, text);
    finder.setPosition(offset);
    if (!finder.isAtBoundary()) finder.toPreviousBoundary();
    const qsizetype begin = std::max<qsizetype>(finder.position(), 0);
    const qsizetype end = finder.toNextBoundary();
    return {begin, end < 0 ? text.size() : end};
}

bool isWholeText(const std::string& bytes) {
    return !bytes.empty() && QString::fromUtf8(bytes).toUtf8().toStdString() == bytes;
}

QString percentOf(double p) {
    return p < 0.01 ? AnotherWord::tr("< 1%") : AnotherWord::tr("%1%").arg(std::lround(p * 100));
}

/// Spaces around a word are not seen, but line breaks are.
QString spelled(const ScoredToken& token) {
    if (token.ends) return AnotherWord::tr("End of the answer");
    if (!isWholeText(token.text)) return AnotherWord::tr("Part of a character");
    QString text = toQString(token.text);
    text.replace('\n', QStringLiteral("↵"));
    return text.trimmed().isEmpty() ? AnotherWord::tr("Space") : text.trimmed();
}

}  // namespace

bool AnotherWord::isAnswer(int row) const {
    const auto message = static_cast<RowId>(m_chat.messages()->messageAt(row));
    const Message* found = m_chat.messages()->find(message);
    return found != nullptr && found->role == Role::Assistant;
}

std::optional<AnotherWord::Place> AnotherWord::placeOf(int row, int offset) const {
    ChatRows& rows = *m_chat.messages();
    const auto place = rows.placeOf(row);
    if (!place || rows.rowOf(*place) != row) return std::nullopt;
    const Message& message = rows.messages()[place->message];
    const auto& blocks = rows.blocks(place->message);
    if (place->block >= blocks.size()) return std::nullopt;
    const content::Block& block = blocks[place->block];
    if (block.part >= message.parts.size() || message.parts[block.part].kind != PartKind::Text)
        return std::nullopt;
    const QString read = toQString(content::plainText(block));
    const auto [begin, end] = wordAt(read, offset);
    const auto bytes = [&read](qsizetype units) {
        return static_cast<size_t>(read.left(units).toUtf8().size());
    };
    const auto found = content::sourcePlace(block, message.parts[block.part].text, bytes(begin), bytes(end));
    if (!found) return std::nullopt;
    const auto before = std::span(message.parts).first(block.part);
    return Place{message.id, textOf(before, PartKind::Text).size() + *found};
}

void AnotherWord::leave() {
    m_engine.cancel(std::exchange(m_request, 0));
    ++m_numAsked;
    m_tokens.clear();
}

void AnotherWord::say(const QString& sentence) {
    m_sentence = sentence;
    emit changed();
}

void AnotherWord::refuse(const Error& error) {
    const bool seen = m_question.atByte >= 0;  // once a word is chosen its menu is gone
    if (seen) return say(errorSentence(error));
    m_notices.showError(Notices::Topic::Check, error);
}

void AnotherWord::look(int row, int offset) {
    leave();
    const auto place = placeOf(row, offset);
    if (!place) return say(tr("This text cannot be followed back to the model's words."));
    const Message& answer = *m_chat.messages()->find(place->message);
    if (answer.modelId != m_models.current().id || m_models.state() != ModelInUse::Ready)
        return say(tr("Only the model that wrote this knows other words: load %1.")
                       .arg(toQString(answer.modelName)));
    say(tr("Looking…"));
    m_message = place->message;
    m_text = textOf(answer.parts, PartKind::Text);
    const auto branch = [conversation = static_cast<RowId>(m_chat.conversationId()),
                         message = m_message](history::HistoryReader& history) {
        return history::readAnswer(history, conversation, message);
    };
    m_storage.readBehindWrites(
        this, branch, [this, number = m_numAsked, byte = place->byte](const Result<history::Turn>& turn) {
            if (number != m_numAsked) return;
            if (!turn) return say(errorSentence(turn.error()));
            m_question = history::replayOf(*turn, m_chat.terms());
            if (m_question.ids.empty())
                return say(tr("This answer comes from elsewhere: its tokens are not known."));
            m_question.count = 1;
            m_question.top = kWords;
            m_question.atByte = static_cast<int64_t>(byte);
            score(m_question, &AnotherWord::onFound);
        });
}

void AnotherWord::score(const ScoreRequest& request, void (AnotherWord::*then)(const Scores&)) {
    m_courier.ask<protocol::Scored>(
        this,
        [this, number = m_numAsked, request](const auto& done) {
            if (number == m_numAsked) m_request = m_engine.score(request, done);
        },
        [this, number = m_numAsked, then](const Result<protocol::Scored>& scored) {
            if (number != m_numAsked) return;
            m_request = 0;
            if (!scored) return refuse(scored.error());
            (this->*then)(scored->scores);
        });
}

void AnotherWord::onFound(const Scores& scores) {
    std::string before;
    for (const PartPiece& piece : scores.before)
        if (piece.kind == PartKind::Text) before += piece.text;
    if (scores.positions.empty() || scores.from >= m_question.ids.size() || !m_text.starts_with(before))
        return say(tr("This text cannot be followed back to the model's words."));
    const ScoredPosition& position = scores.positions.front();
    m_stored = position.stored.id;
    m_tokens = position.top;
    if (std::ranges::find(m_tokens, m_stored, &ScoredToken::id) == m_tokens.end())
        m_tokens.push_back(position.stored);
    m_question.ids.resize(scores.from);
    say({});
}

QVariantList AnotherWord::words() const {
    QVariantList words;
    for (const ScoredToken& token : m_tokens) {
        const bool stands = token.id == m_stored;
        words.append(QVariantMap{{"word", spelled(token)},
                                 {"percent", percentOf(token.p)},
                                 {"stands", stands},
                                 {"mayChoose", !stands && !token.ends}});
    }
    return words;
}

void AnotherWord::choose(int index) {
    if (index < 0 || static_cast<size_t>(index) >= m_tokens.size() || !mayLook()) return;
    const ScoredToken token = m_tokens[static_cast<size_t>(index)];
    leave();
    if (token.id == m_stored || token.ends) return;
    m_question.ids.push_back(token.id);
    // What these say together: a token alone may be half a character, or half a mark.
    m_question.atByte = -1;
    m_question.from = static_cast<uint32_t>(m_question.ids.size());
    m_question.top = 0;
    score(m_question, &AnotherWord::onBegun);
}

void AnotherWord::onBegun(const Scores& scores) {
    m_chat.branchAnswer(m_message, {m_question.ids, scores.before, scores.withheld});
}

}  // namespace ingle::desktop
