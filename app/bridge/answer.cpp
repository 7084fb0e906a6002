#include "app/bridge/answer.h"

#include <algorithm>
#include <utility>

#include "app/bridge/chat_request.h"
#include "app/bridge/far_errors.h"
#include "app/protocol/remote.h"
#include "ingle/version.h"

namespace ingle::bridge {
namespace {

/// The statuses of a server that is being started, of a proxy before it, and of one to which all its clients
/// return at once.
bool isNotReady(int status) {
    return status == 429 || (status >= 502 && status <= 504);
}

double milliseconds(Answer::Clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

bool isGood(int status) {
    return status >= 200 && status < 300;
}

/// Of a server that would take another request.
bool isRefusal(int status) {
    return status == 400 || status == 422;
}

}  // namespace

Answer::Answer(FarServer& far, FarKnowledge& knowledge, nlohmann::json request, size_t numMessages,
               std::string begun, FarModel model, Output output)
    : m_far(far),
      m_knowledge(knowledge),
      m_request(std::move(request)),
      m_numMessages(numMessages),
      m_model(std::move(model)),
      m_output(std::move(output)),
      m_text(std::move(begun)),
      m_began(Clock::now()) {}

Answer::~Answer() {
    m_far.cancel(m_call);
}

void Answer::begin() {
    if (!canGoOn()) return fail(cannotGoOn(m_far));
    leaveOut(m_knowledge.refused);
    ask();
}

void Answer::leaveOut(const FieldNames& fields) {
    for (const std::string& name : fields) {
        if (m_request.erase(name) > 0) m_leftOut.insert(name);
    }
}

bool Answer::askedWithout(const FarEnd& refusal) {
    if (m_tries > 0 || !isRefusal(refusal.status)) return false;
    const FieldNames refused = refusedFields(m_request, refusal.body);
    if (refused.empty()) return false;
    leaveOut(refused);
    ask();
    return true;
}

void Answer::ask() {
    FarCall call;
    call.url = m_far.address().base + "/chat/completions";
    call.json = writeJson(continuedRequest(m_request, m_text, m_tokensBefore));
    call.mayLast = true;
    call.onBytes = [this](std::string_view bytes) { return take(bytes); };
    call.onEnd = [this](FarEnd end) { ended(std::move(end)); };
    m_call = m_far.start(std::move(call));
}

void Answer::cancel() {
    m_far.cancel(std::exchange(m_call, 0));
    finish(StopReason::Cancelled);
}

void Answer::resume() {
    m_far.resume(m_call);
}

void Answer::tick() {
    if (!m_goOnAt || Clock::now() < *m_goOnAt) return;
    m_goOnAt.reset();
    ask();
}

Taken Answer::take(std::string_view bytes) {
    if (!m_output.hasRoom()) return Taken::NoneYet;
    m_knowledge.refused.insert(m_leftOut.begin(), m_leftOut.end());  // it was because of them
    const Status taken = m_stream.push(bytes);
    sendPlan();
    send(m_stream.takePieces());
    if (!taken) {
        m_failure = taken.error().code == ErrorCode::Corrupt
                        ? strangeAnswer(m_far, taken.error().message)
                        : Error{ErrorCode::Io, fmt::format("{} has a fault: {}.", m_far.address().host,
                                                           taken.error().message)};
        return Taken::Enough;
    }
    return m_stream.isWhole() ? Taken::Enough : Taken::All;
}

void Answer::sendPlan() {
    if (std::exchange(m_hasPlan, true)) return;
    PromptPlan plan;
    for (uint32_t i = 0; i < m_numMessages; ++i) plan.kept.push_back(i);
    if (m_stream.usage()) plan.promptTokens = m_stream.usage()->promptTokens;
    plan.contextTokens = m_model.contextTokens;
    if (const std::string words = wordsOf(m_leftOut, m_request); !words.empty())
        plan.note = fmt::format("{} does not take {}, and answers without.", m_far.address().host, words);
    m_output.event(protocol::Planned{std::move(plan)});
}

void Answer::send(std::vector<PartPiece> pieces) {
    if (pieces.empty()) return;
    if (!m_firstToken) m_firstToken = Clock::now();
    for (const PartPiece& piece : pieces) {
        if (piece.kind == PartKind::Text) m_text += piece.text;
        m_hasThought = m_hasThought || piece.kind == PartKind::Thought;
        m_hasCall = m_hasCall || piece.kind == PartKind::ToolCall;
    }
    m_output.event(protocol::Tokens{{.ids = {}, .pieces = std::move(pieces), .chances = {}}});
}

void Answer::ended(FarEnd end) {
    m_call = 0;
    if (m_failure) return fail(*std::move(m_failure));
    if (end.status != 0 && !isGood(end.status)) {
        if (askedWithout(end)) return;
        const bool isFirst = m_tries == 0;
        if (!isFirst && isNotReady(end.status) && goOn(end)) return;
        // Whatever else it refuses, a text that is too long for one, says nothing of other answers.
        const bool isOfContinuing = !m_text.empty() && isRefusal(end.status) && refusesToContinue(end.body);
        if (isOfContinuing) m_knowledge.endAsTheyBroke.insert(m_model.name);
        if (!isFirst) return fail(brokenAnswer(m_far));
        return fail(isOfContinuing ? cannotGoOn(m_far) : farError(m_far, end, m_model.name));
    }
    if (m_stream.isComplete()) return finishAnswered();
    const bool wasUnsent = end.how == FarEnd::How::Unreachable || end.how == FarEnd::How::Untrusted;
    const bool wasTooMuch = end.how == FarEnd::How::Enough && !m_hasPlan;  // of headers
    if ((wasUnsent && m_tries == 0) || wasTooMuch) return fail(farError(m_far, end));
    if (end.how == FarEnd::How::Answered && !m_stream.hasBegun() && m_tries == 0)
        return fail(strangeAnswer(m_far, "it sends no stream of an answer"));
    if (!goOn(end)) fail(brokenAnswer(m_far));
}

bool Answer::goOn(const FarEnd& end) {
    if (!canGoOn()) return false;
    // One that is started again is not there for a while, or not ready.
    if (end.how == FarEnd::How::Unreachable || isNotReady(end.status)) {
        const auto now = Clock::now();
        if (!m_goneSince) m_goneSince = now;
        if (now - *m_goneSince > kPatience) return false;
    } else {
        m_goneSince.reset();
        if (m_tries == kMostTries) return false;
        ++m_tries;
    }
    m_tokensBefore += m_stream.numChunks();
    m_textTokensBefore += m_stream.numTextChunks();
    m_stream = ChatStream();
    m_goOnAt = Clock::now() + kPause;
    return true;
}

/// Of a thought or a call no server goes on, nor with a schema behind its first character.
bool Answer::canGoOn() const {
    if (m_hasCall) return false;
    if (m_text.empty()) return !m_hasThought;
    return m_model.continues && !m_knowledge.endAsTheyBroke.contains(m_model.name) &&
           !m_request.contains("response_format");
}

void Answer::finishAnswered() {
    const std::string& reason = m_stream.finishReason();
    if (reason == "content_filter")
        return fail(
            {ErrorCode::Unsupported,
             fmt::format("{} has ended this answer itself: its filter forbids it.", m_far.address().host)});
    const bool isShort = reason == "length";
    const bool wasLimited = m_request.contains("max_tokens");
    finish(!isShort ? StopReason::EndOfText : wasLimited ? StopReason::MaxTokens : StopReason::ContextFull);
}

void Answer::finish(StopReason reason) {
    const auto now = Clock::now();
    sendPlan();
    protocol::Done done;
    done.result.reason = reason;
    GenerateStats& stats = done.result.stats;
    const auto& usage = m_stream.usage();
    stats.newTokens = m_tokensBefore + (usage ? usage->newTokens : m_stream.numChunks());
    if (usage) {
        // The prompt of a continuation ends with the text so far.
        stats.promptTokens = usage->promptTokens - std::min(m_textTokensBefore, usage->promptTokens);
        stats.cachedTokens = std::min(usage->cachedTokens, stats.promptTokens);
    }
    const auto first = m_firstToken.value_or(now);
    stats.prefillMs = milliseconds(first - m_began);
    stats.decodeMs = milliseconds(now - first);
    done.receipt.program = version();
    done.receipt.modelPath = pathOf(m_model);
    done.receipt.backend = protocol::kRemote;
    done.receipt.device = m_far.address().host;
    done.receipt.contextTokens = m_model.contextTokens;
    m_output.end(std::move(done));
}

}  // namespace ingle::bridge
