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

AnswerText::Written AnswerText::written(const OpenedModel& model, TokenId id, Marks marks) const {
    const std::string* control =
        m_isChat && marks == Marks::BeginParts ? model.prompts->controlTokens().textOf(id) : nullptr;
    if (control) return {*control, tokenizer::StreamDecoder::Token::Sign};
    return {model.tokenizer->pieceBytes(id)};
}

AnswerText::Output AnswerText::push(const OpenedModel& model, TokenId id, Marks marks) {
    const Written added = written(model, id, marks);
    auto output = m_decoder.push(added.text, added.token);
    return {piecesOf(std::move(output.text), marks), output.stopped};
}

void AnswerText::pass(const OpenedModel& model, TokenId id, Marks marks) {
    const Written added = written(model, id, marks);
    piecesOf(m_decoder.pass(added.text, added.token), marks);
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

std::vector<PartPiece> AnswerText::unfinished() const {
    AnswerText copy = *this;
    constexpr std::string_view kHalf = "\uFFFD";
    std::string rest = copy.m_decoder.finish();
    if (rest.ends_with(kHalf) && !m_decoder.withheld().ends_with(kHalf))
        rest.resize(rest.size() - kHalf.size());
    std::vector<PartPiece> pieces = copy.piecesOf(std::move(rest), Marks::BeginParts);
    for (const PartPiece& piece : copy.m_splitter.finish()) append(pieces, piece);
    return pieces;
}

std::string AnswerText::withheld() const {
    return fmt::format("{}{}", m_splitter.withheld(), m_decoder.withheld());
}

}  // namespace ingle::session
