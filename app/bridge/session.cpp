#include "app/bridge/session.h"

#include "app/bridge/chat_request.h"
#include "app/bridge/embeddings.h"
#include "app/bridge/far_errors.h"
#include "app/protocol/remote.h"
#include "app/sandbox/secrecy.h"
#include "ingle/error_ids.h"
#include "ingle/version.h"

namespace ingle::bridge {
namespace {

const nlohmann::json kNothing;

std::string program() {
    return fmt::format("ingle-bridge {}", version());
}

/// Of statuses of a server that has no such thing.
bool isMissing(const FarEnd& end) {
    return end.how == FarEnd::How::Answered && (end.status == 404 || end.status == 405 || end.status == 501);
}

bool isGood(const FarEnd& end) {
    return end.how == FarEnd::How::Answered && end.status >= 200 && end.status < 300;
}

/// Of one that has it, and takes other questions.
bool isRefused(const FarEnd& end) {
    return end.how == FarEnd::How::Answered && (end.status == 400 || end.status == 422);
}

Error noModel() {
    return withId<ErrorId::NoModel>(Error{ErrorCode::InvalidArgument, "No model is loaded."});
}

template <typename R>
constexpr const char* kNotOffered = "A server far away cannot do that.";
template <>
constexpr const char* kNotOffered<protocol::Computer> =
    "A server far away does not tell what computer it is.";
template <>
constexpr const char* kNotOffered<protocol::Import> = "A model far away cannot be written as a file.";
template <>
constexpr const char* kNotOffered<protocol::Preview> =
    "A server far away does not show the prompt that it makes.";
template <>
constexpr const char* kNotOffered<protocol::Score> =
    "An answer from far away cannot be checked token by token.";
template <>
constexpr const char* kNotOffered<protocol::Read> = "A server far away does not read ahead.";

}  // namespace

Session::~Session() {
    for (const auto& [id, request] : m_requests) m_far.server.cancel(request.call);
}

void Session::resume() {
    for (const auto& [id, request] : m_requests) {
        if (request.answer) request.answer->resume();
    }
}

bool Session::isPausing() const {
    for (const auto& [id, request] : m_requests) {
        if (request.answer && request.answer->isPausing()) return true;
    }
    return false;
}

void Session::tick() {
    m_ended.clear();
    for (const auto& [id, request] : m_requests) {
        if (request.answer) request.answer->tick();
    }
}

/// What only models on the person's own computer can do.
template <typename R>
void Session::serve(Id id, const R&) {
    fail(id, withId<ErrorId::FarCannot>(Error{ErrorCode::Unsupported, kNotOffered<R>}));
}

template <>
void Session::serve(Id id, const protocol::Hello& hello) {
    m_greeted = hello.version == protocol::kVersion;
    if (m_greeted) return reply(id, protocol::HelloOk{protocol::kVersion, program()});
    fail(id, {ErrorCode::Unsupported,
              fmt::format("The client speaks version {} of the host protocol and {} speaks version {}.",
                          hello.version, program(), protocol::kVersion)});
}

template <>
void Session::serve(Id id, const protocol::Recognise& recognise) {
    askModels(id, [this, id, paths = recognise.paths](Result<Models> models) {
        if (!models) return fail(id, std::move(models).error());
        protocol::Recognised recognised;
        std::vector<Recognition> refused;
        const FarAddress& address = m_far.server.address();
        for (const std::string& path : paths) {
            if (path == protocol::kRemotePrefix) {
                for (const FarModel& model : *models)
                    recognised.things.push_back(recognitionOf(model, address));
            } else if (const auto model = modelAt(path, *models)) {
                recognised.things.push_back(recognitionOf(*model, address));
            } else {
                refused.push_back(refusedRecognition(path, model.error()));
            }
        }
        recognised.things.insert(recognised.things.end(), refused.begin(), refused.end());
        reply(id, std::move(recognised));
    });
}

template <>
void Session::serve(Id id, const protocol::Inspect& inspect) {
    askModels(id, [this, id, path = inspect.path](Result<Models> models) {
        if (!models) return fail(id, std::move(models).error());
        const auto model = modelAt(path, *models);
        if (!model) return fail(id, model.error());
        reply(id, protocol::Inspected{infoOf(*model, m_far.server.address())});
    });
}

template <>
void Session::serve(Id id, const protocol::Load& load) {
    askModels(id, [this, id, path = load.path](Result<Models> models) {
        if (!models) return fail(id, std::move(models).error());
        auto model = modelAt(path, *models);
        if (!model) return fail(id, model.error());
        m_model = *std::move(model);
        reply(id, protocol::Loaded{infoOf(*m_model, m_far.server.address()), {}});
    });
}

template <>
void Session::serve(Id id, const protocol::Unload&) {
    m_model.reset();
    reply(id, protocol::Unloaded{});
}

/// An estimate would be no count: it is asked of a server that tells it.
template <>
void Session::serve(Id id, const protocol::Count& count) {
    if (!m_model) return fail(id, noModel());
    if (!count.ids.empty())
        return fail(id, {ErrorCode::Unsupported, "A model far away is not given ids of tokens."});
    if (count.messages.empty())
        countText(id, count, false);
    else
        countMessages(id, count);
}

void Session::untold(Id id) {
    fail(id, {ErrorCode::Unsupported,
              fmt::format("{} does not tell how many tokens that has.", m_far.server.address().host)});
}

void Session::countText(Id id, const protocol::Count& count, bool isSecondTry) {
    const bool isPrompt = m_far.knowledge.tokenizesPrompts;
    const nlohmann::json body{{"model", m_model->name},
                              {isPrompt ? "prompt" : "content", count.text},
                              {isPrompt ? "add_special_tokens" : "add_special", count.addSpecial}};
    ask(id, {.url = m_far.server.address().root + "/tokenize", .json = writeJson(body)},
        [this, id, count, isSecondTry](const FarEnd& end) {
            if (isMissing(end)) return untold(id);
            if (isRefused(end)) {
                if (isSecondTry || !m_model) return untold(id);
                m_far.knowledge.tokenizesPrompts = !m_far.knowledge.tokenizesPrompts;
                return countText(id, count, true);
            }
            if (!isGood(end)) return fail(id, farError(m_far.server, end));
            const auto read = readJson(end.body);
            const nlohmann::json& tokens = memberAt(read ? *read : kNothing, "tokens");
            if (!tokens.is_array()) return untold(id);
            protocol::Counted counted;
            counted.tokens = static_cast<uint32_t>(tokens.size());
            for (const nlohmann::json& token : tokens) {
                if (!count.withIds) break;
                if (!token.is_number_integer()) return untold(id);
                counted.ids.push_back(token.get<TokenId>());
            }
            reply(id, std::move(counted));
        });
}

/// With all that the chat format puts around them, which vLLM tells.
void Session::countMessages(Id id, const protocol::Count& count) {
    const nlohmann::json body{{"model", m_model->name},
                              {"messages", chatMessages(count.messages)},
                              {"add_generation_prompt", true}};
    ask(id, {.url = m_far.server.address().root + "/tokenize", .json = writeJson(body)},
        [this, id, context = m_model->contextTokens](const FarEnd& end) {
            if (isMissing(end) || isRefused(end)) return untold(id);
            if (!isGood(end)) return fail(id, farError(m_far.server, end));
            const auto read = readJson(end.body);
            // One that only leaves out what it does not know, as llama.cpp does, tells tokens of nothing.
            const auto told = countAt(read ? *read : kNothing, "count");
            if (!told || *told == 0) return untold(id);
            reply(id, protocol::Counted{*told, countAt(*read, "max_model_len").value_or(context), {}});
        });
}

template <>
void Session::serve(Id id, const protocol::Generate& generate) {
    if (!m_model) return fail(id, noModel());
    auto request = chatRequest(generate.request, m_model->name);
    if (!request) return fail(id, std::move(request).error());
    Answer::Output output;
    output.event = [this, id](protocol::EventBody body) { reply(id, std::move(body)); };
    output.hasRoom = m_output.hasRoom;
    output.end = [this, id](protocol::EventBody body) {
        const auto found = m_requests.find(id);
        m_ended.push_back(std::move(found->second.answer));
        m_requests.erase(found);
        reply(id, std::move(body));
    };
    Request& made = m_requests[id];
    made.answer = std::make_unique<Answer>(m_far.server, m_far.knowledge, *std::move(request),
                                           generate.request.messages.size(), generate.request.resumeText,
                                           *m_model, std::move(output));
    made.answer->begin();
}

template <>
void Session::serve(Id id, const protocol::Embed& embed) {
    if (!protocol::isRemote(embed.model)) return fail(id, modelAt(embed.model, {}).error());
    const std::string name = embed.model.substr(protocol::kRemotePrefix.size());
    const nlohmann::json body{{"model", name}, {"input", embed.texts}, {"encoding_format", "float"}};
    ask(id, {.url = m_far.server.address().base + "/embeddings", .json = writeJson(body), .mayLast = true},
        [this, id, name, numTexts = embed.texts.size()](const FarEnd& end) {
            if (!isGood(end)) return fail(id, farError(m_far.server, end, name));
            auto embedded = readEmbeddings(end.body, numTexts);
            if (!embedded) return fail(id, strangeAnswer(m_far.server, embedded.error().message));
            reply(id, *std::move(embedded));
        });
}

template <>
void Session::serve(Id, const protocol::Cancel& cancel) {
    const auto found = m_requests.find(cancel.target);
    if (found == m_requests.end()) return;
    if (found->second.answer) return found->second.answer->cancel();
    m_far.server.cancel(found->second.call);
    m_requests.erase(found);
    fail(cancel.target, withCodeId(Error{ErrorCode::Cancelled, "This was cancelled."}));
}

template <>
void Session::serve(Id id, const protocol::Retain&) {
    reply(id, protocol::Retained{});  // nothing is kept on disk
}

template <>
void Session::serve(Id id, const protocol::Protect&) {
    sandbox::keepOutOfDumps();
    reply(id, protocol::Protected{});
}

template <>
void Session::serve(Id id, const protocol::Devices&) {
    DeviceEntry server;
    server.name = m_far.server.address().host;
    server.kind = "other";
    server.use = DeviceUse::Automatic;
    reply(id, protocol::DevicesListed{{.devices = {std::move(server)}, .note = {}}});
}

void Session::ask(Id id, FarCall call, std::function<void(FarEnd)> answer) {
    call.onEnd = [this, id, answer = std::move(answer)](FarEnd end) {
        m_requests.erase(id);
        answer(std::move(end));
    };
    m_requests[id].call = m_far.server.start(std::move(call));
}

void Session::askModels(Id id, std::function<void(Result<Models>)> answer) {
    ask(id, {.url = m_far.server.address().base + "/models"},
        [this, answer = std::move(answer)](const FarEnd& end) {
            const auto& named = m_far.named;
            if (isMissing(end) && !named.empty()) {  // a server without a list: whoever named them knows
                Models models;
                for (const std::string& name : named) models.push_back({name, 0, false});
                return answer(std::move(models));
            }
            if (!isGood(end)) return answer(tl::unexpected(farError(m_far.server, end)));
            auto models = readModels(end.body);
            if (!models) return answer(tl::unexpected(strangeAnswer(m_far.server, models.error().message)));
            answer(offered(*std::move(models), named));
        });
}

Result<FarModel> Session::modelAt(const std::string& path, const Models& models) const {
    const std::string& host = m_far.server.address().host;
    if (!protocol::isRemote(path))
        return ingle::fail(ErrorCode::Unsupported, "{} is no model of {}: paths of those begin with '{}'.",
                           shown(path), host, protocol::kRemotePrefix);
    for (const FarModel& model : models) {
        if (pathOf(model) == path) return model;
    }
    return ingle::fail(ErrorCode::Unsupported, "{} does not offer the model '{}'.", host,
                       shown(path.substr(protocol::kRemotePrefix.size())));
}

void Session::receive(const std::string& message) {
    auto request = protocol::decodeRequest(message);
    if (!request) return fail(protocol::idOfRefused(message), std::move(request).error());
    const Id id = request->id;
    if (id == 0) return fail(0, {ErrorCode::InvalidArgument, "A request cannot have the id 0."});
    const bool isHello = std::holds_alternative<protocol::Hello>(request->body);
    if (!m_greeted && !isHello)
        return fail(id, {ErrorCode::InvalidArgument, "The first request must be hello."});
    const bool isCancel = std::holds_alternative<protocol::Cancel>(request->body);
    if (!isCancel && m_requests.contains(id))
        return fail(id, {ErrorCode::InvalidArgument, "A request with this id is under way."});
    if (!isCancel && m_requests.size() >= kMostRequests)
        return fail(id, {ErrorCode::InvalidArgument,
                         fmt::format("More than {} requests cannot be under way.", kMostRequests)});
    std::visit([&](const auto& body) { serve(id, body); }, request->body);
}

}  // namespace ingle::bridge
