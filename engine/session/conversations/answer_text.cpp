#include "engine/session/conversations/answer_text.h"

#include <fmt/format.h>

#include <utility>

namespace ingle::session {
namespace {

std::vector<std::string> stopsOf(const GenerateRequest& request, const PlannedPrompt& prompt) {
    std::vector<std::string> stops = request.stops;
    stops.insert(stops.end(), prompt.stops.begin(), prompt.stops.end());
    return stops;
}

}  // namespace

AnswerText::AnswerText(const GenerateRequest& request, const PlannedPrompt& prompt)
    : m_isChat(!request.messages.empty()),
      m_decoder(stopsOf(request, prompt)),
      m_splitter(prompt.end, prompt.calls) {}

std::string AnswerText::bytesOf(const OpenedModel& model, TokenId id) const {
    const auto mark = m_isChat ? model.markTokens.find(id) : model.markTokens.end();
    return mark == model.markTokens.end() ? model.tokenizer->pieceBytes(id) : mark->second;
}

AnswerText::Output AnswerText::push(const OpenedModel& model, TokenId id, Marks marks) {
    auto output = m_decoder.push(bytesOf(model, id));
    return {piecesOf(std::move(output.text), marks), output.stopped};
}

void AnswerText::pass(const OpenedModel& model, TokenId id, Marks marks) {
    piecesOf(m_decoder.pass(bytesOf(model, id)), marks);
}

std::vector<PartPiece> AnswerText::piecesOf(std::string text, Marks marks) {
    // What may be a mark from before is decided first.
    const bool areText = marks == Marks::AreText && m_splitter.withheld().empty();
    if (m_isChat && !areText) return m_splitter.push(text);
    if (text.empty()) return {};
    return {{PartKind::Text, std::move(text), {}}};
}

std::vector<PartPiece> AnswerText::finish() {
    std::vector<PartPiece> tail;
    for (const auto& pieces : {m_splitter.push(m_decoder.finish()), m_splitter.finish()})
        for (const PartPiece& piece : pieces) append(tail, piece);
    return tail;
}

std::string AnswerText::withheld() const {
    return fmt::format("{}{}", m_splitter.withheld(), m_decoder.withheld());
}

}  // namespace ingle::session
