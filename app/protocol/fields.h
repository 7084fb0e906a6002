/// The fields of every protocol struct, stated once: a JSON writer and a JSON reader both walk these lists.
/// Private to app/protocol.
#pragma once

#include <array>
#include <concepts>
#include <string_view>
#include <type_traits>
#include <utility>

#include "app/protocol/messages.h"

namespace ingle::protocol {

/// T is U or const U: one list serves writing (const) and reading.
template <typename T, typename U>
concept Of = std::same_as<std::remove_const_t<T>, U>;

template <typename Enum>
struct EnumNames;

template <>
struct EnumNames<Role> {
    static constexpr std::array kList{std::pair{Role::System, std::string_view("system")},
                                      std::pair{Role::User, std::string_view("user")},
                                      std::pair{Role::Assistant, std::string_view("assistant")}};
};
template <>
struct EnumNames<BackendChoice> {
    static constexpr std::array kList{std::pair{BackendChoice::Auto, std::string_view("auto")},
                                      std::pair{BackendChoice::Cpu, std::string_view("cpu")},
                                      std::pair{BackendChoice::Vulkan, std::string_view("vulkan")}};
};
template <>
struct EnumNames<KvType> {
    static constexpr std::array kList{std::pair{KvType::F32, std::string_view("f32")},
                                      std::pair{KvType::F16, std::string_view("f16")},
                                      std::pair{KvType::Q8, std::string_view("q8")}};
};
template <>
struct EnumNames<ActivationType> {
    static constexpr std::array kList{std::pair{ActivationType::Auto, std::string_view("auto")},
                                      std::pair{ActivationType::F32, std::string_view("f32")}};
};
template <>
struct EnumNames<Guesses> {
    static constexpr std::array kList{std::pair{Guesses::Off, std::string_view("off")},
                                      std::pair{Guesses::LookUp, std::string_view("lookUp")},
                                      std::pair{Guesses::Draft, std::string_view("draft")}};
};
template <>
struct EnumNames<StopReason> {
    static constexpr std::array kList{std::pair{StopReason::EndOfText, std::string_view("endOfText")},
                                      std::pair{StopReason::MaxTokens, std::string_view("maxTokens")},
                                      std::pair{StopReason::ContextFull, std::string_view("contextFull")},
                                      std::pair{StopReason::Cancelled, std::string_view("cancelled")}};
};
template <>
struct EnumNames<PartKind> {
    static constexpr std::array kList{std::pair{PartKind::Text, std::string_view("text")},
                                      std::pair{PartKind::Thought, std::string_view("thought")},
                                      std::pair{PartKind::ToolCall, std::string_view("toolCall")},
                                      std::pair{PartKind::ToolResult, std::string_view("toolResult")},
                                      std::pair{PartKind::Attachment, std::string_view("attachment")},
                                      std::pair{PartKind::Image, std::string_view("image")},
                                      std::pair{PartKind::Source, std::string_view("source")}};
};
template <>
struct EnumNames<WhenFull> {
    static constexpr std::array kList{std::pair{WhenFull::DropOldest, std::string_view("dropOldest")},
                                      std::pair{WhenFull::Refuse, std::string_view("refuse")}};
};
template <>
struct EnumNames<Thinking> {
    static constexpr std::array kList{std::pair{Thinking::AsUsual, std::string_view("asUsual")},
                                      std::pair{Thinking::On, std::string_view("on")},
                                      std::pair{Thinking::Off, std::string_view("off")}};
};
template <>
struct EnumNames<FitRemedy> {
    static constexpr std::array kList{
        std::pair{FitRemedy::ShorterContext, std::string_view("shorterContext")},
        std::pair{FitRemedy::SmallerCache, std::string_view("smallerCache")},
        std::pair{FitRemedy::SmallerModel, std::string_view("smallerModel")}};
};
template <>
struct EnumNames<ModelAction> {
    static constexpr std::array kList{std::pair{ModelAction::Open, std::string_view("open")},
                                      std::pair{ModelAction::MakeSmaller, std::string_view("makeSmaller")},
                                      std::pair{ModelAction::Import, std::string_view("import")},
                                      std::pair{ModelAction::ReadText, std::string_view("readText")},
                                      std::pair{ModelAction::GetInstead, std::string_view("getInstead")}};
};
template <>
struct EnumNames<DeviceUse> {
    static constexpr std::array kList{std::pair{DeviceUse::Automatic, std::string_view("automatic")},
                                      std::pair{DeviceUse::OnRequest, std::string_view("onRequest")},
                                      std::pair{DeviceUse::Never, std::string_view("never")}};
};
constexpr std::pair<ErrorCode, std::string_view> withName(ErrorCode code) {
    return {code, errorCodeName(code)};
}
template <>
struct EnumNames<ErrorCode> {
    static constexpr std::array kList{withName(ErrorCode::Io),          withName(ErrorCode::Corrupt),
                                      withName(ErrorCode::Unsupported), withName(ErrorCode::InvalidArgument),
                                      withName(ErrorCode::OutOfMemory), withName(ErrorCode::Device),
                                      withName(ErrorCode::Cancelled)};
};

// A visitor has required(name, field), optional(name, field), sparse(name, field), which is not written where
// it says nothing or is not there, and hexBytes(name, string of raw bytes).

template <typename V>
void fields(V& v, Of<Part> auto& p) {
    v.required("kind", p.kind);
    v.required("text", p.text);
    v.sparse("data", p.data);
}
template <typename V>
void fields(V& v, Of<PartPiece> auto& p) {
    v.required("kind", p.kind);
    v.required("text", p.text);
    v.sparse("data", p.data);
    v.sparse("begins", p.begins);
}
template <typename V>
void fields(V& v, Of<ChatMessage> auto& m) {
    v.required("role", m.role);
    v.required("parts", m.parts);
}
template <typename V>
void fields(V& v, Of<LogitBias> auto& b) {
    v.required("id", b.id);
    v.required("bias", b.bias);
}
template <typename V>
void fields(V& v, Of<SamplerParams> auto& p) {
    v.optional("temperature", p.temperature);
    v.optional("topK", p.topK);
    v.optional("typicalP", p.typicalP);
    v.optional("topP", p.topP);
    v.optional("minP", p.minP);
    v.optional("repeatPenalty", p.repeatPenalty);
    v.optional("frequencyPenalty", p.frequencyPenalty);
    v.optional("presencePenalty", p.presencePenalty);
    v.optional("lastN", p.lastN);
    v.optional("logitBias", p.logitBias);
    v.optional("seed", p.seed);
}
template <typename V>
void fields(V& v, Of<LoadOptions> auto& o) {
    v.optional("backend", o.backend);
    v.optional("device", o.device);
    v.optional("threads", o.threads);
    v.optional("contextTokens", o.contextTokens);
    v.optional("kv", o.kv);
    v.optional("activations", o.activations);
    v.optional("fuse", o.fuse);
    v.optional("referenceKernels", o.referenceKernels);
    v.optional("loadAnyway", o.loadAnyway);
    v.optional("crashedProcess", o.crashedProcess);
    v.optional("overrides", o.overrides);
    v.sparse("draft", o.draft);
}
template <typename V>
void fields(V& v, Of<FitChoice> auto& c) {
    v.required("remedy", c.remedy);
    v.optional("contextTokens", c.contextTokens);
    v.optional("kv", c.kv);
    v.optional("quant", c.quant);
    v.optional("needBytes", c.needBytes);
}
template <typename V>
void fields(V& v, Of<MemoryEstimate> auto& m) {
    v.required("weightBytes", m.weightBytes);
    v.required("cacheBytes", m.cacheBytes);
    v.required("workBytes", m.workBytes);
    v.optional("mostBytes", m.mostBytes);
    v.optional("availableBytes", m.availableBytes);
    v.optional("usableBytes", m.usableBytes);
    v.optional("choices", m.choices);
}
template <typename V>
void fields(V& v, Of<ModelInfo> auto& i) {
    v.required("path", i.path);
    v.optional("name", i.name);
    v.optional("format", i.format);
    v.optional("family", i.family);
    v.optional("fileBytes", i.fileBytes);
    v.optional("weightBytes", i.weightBytes);
    v.optional("numParameters", i.numParameters);
    v.optional("numLayers", i.numLayers);
    v.optional("dim", i.dim);
    v.optional("vocabSize", i.vocabSize);
    v.optional("trainedContext", i.trainedContext);
    v.optional("quantBytes", i.quantBytes);
    v.optional("smallerQuant", i.smallerQuant);
    v.optional("smallerBytes", i.smallerBytes);
    v.optional("tokenizer", i.tokenizer);
    v.optional("promptFormat", i.promptFormat);
    v.optional("promptNote", i.promptNote);
    v.sparse("chatTemplate", i.chatTemplate);
    v.optional("memory", i.memory);
    v.optional("foretoldTokensPerSecond", i.foretoldTokensPerSecond);
    v.optional("backend", i.backend);
    v.optional("device", i.device);
    v.optional("deviceNote", i.deviceNote);
    v.optional("contextTokens", i.contextTokens);
    v.optional("contextNote", i.contextNote);
}
template <typename V>
void fields(V& v, Of<DeviceEntry> auto& d) {
    v.required("name", d.name);
    v.required("kind", d.kind);
    v.optional("memoryBytes", d.memoryBytes);
    v.optional("driver", d.driver);
    v.required("use", d.use);
    v.optional("refusal", d.refusal);
}
template <typename V>
void fields(V& v, Of<ComputerInfo> auto& c) {
    v.optional("processor", c.processor);
    v.optional("threads", c.threads);
    v.required("installedBytes", c.installedBytes);
    v.required("usableBytes", c.usableBytes);
    v.required("availableBytes", c.availableBytes);
    v.optional("readBytesPerSecond", c.readBytesPerSecond);
}
template <typename V>
void fields(V& v, Of<PromptForm> auto& f) {
    v.sparse("chatTemplate", f.chatTemplate);
    v.optional("thinking", f.thinking);
    v.sparse("tools", f.tools);
}
template <typename V>
void fields(V& v, Of<GenerateRequest> auto& r) {
    v.optional("messages", r.messages);
    v.optional("pinned", r.pinned);
    v.optional("sampler", r.sampler);
    v.optional("maxTokens", r.maxTokens);
    v.optional("stops", r.stops);
    v.optional("resumeIds", r.resumeIds);
    v.sparse("givenIds", r.givenIds);
    v.optional("conversation", r.conversation);
    v.optional("rawPrompt", r.rawPrompt);
    v.optional("rawTokens", r.rawTokens);
    v.sparse("grammar", r.grammar);
    v.sparse("jsonSchema", r.jsonSchema);
    v.optional("whenFull", r.whenFull);
    v.optional("contextTokens", r.contextTokens);
    v.optional("promptForm", r.promptForm);
    v.optional("guesses", r.guesses);
    v.sparse("chances", r.chances);
}
template <typename V>
void fields(V& v, Of<PromptPlan> auto& p) {
    v.required("kept", p.kept);
    v.required("dropped", p.dropped);
    v.required("promptTokens", p.promptTokens);
    v.required("contextTokens", p.contextTokens);
    v.required("promptHash", p.promptHash);
    v.optional("note", p.note);
}
template <typename V>
void fields(V& v, Of<TokenChances> auto& c) {
    v.required("chosen", c.chosen);
    v.required("top", c.top);
}
template <typename V>
void fields(V& v, Of<TokenChunk> auto& c) {
    v.required("ids", c.ids);
    v.required("pieces", c.pieces);
    v.sparse("chances", c.chances);
}
template <typename V>
void fields(V& v, Of<GenerateStats> auto& s) {
    v.optional("promptTokens", s.promptTokens);
    v.optional("cachedTokens", s.cachedTokens);
    v.optional("newTokens", s.newTokens);
    v.optional("prefillMs", s.prefillMs);
    v.optional("decodeMs", s.decodeMs);
    v.optional("guessedTokens", s.guessedTokens);
    v.optional("takenTokens", s.takenTokens);
}
template <typename V>
void fields(V& v, Of<GenerateResult> auto& r) {
    v.required("reason", r.reason);
    v.optional("stats", r.stats);
    v.optional("tail", r.tail);
    v.hexBytes("withheld", r.withheld);
}
template <typename V>
void fields(V& v, Of<Receipt> auto& r) {
    v.optional("program", r.program);
    v.optional("modelPath", r.modelPath);
    v.optional("modelHash", r.modelHash);
    v.optional("backend", r.backend);
    v.optional("device", r.device);
    v.optional("instructions", r.instructions);
    v.optional("kv", r.kv);
    v.optional("activations", r.activations);
    v.optional("referenceKernels", r.referenceKernels);
    v.optional("contextTokens", r.contextTokens);
    v.optional("overrides", r.overrides);
}
template <typename V>
void fields(V& v, Of<ScoredToken> auto& t) {
    v.required("id", t.id);
    v.required("text", t.text);
    v.optional("p", t.p);
    v.sparse("ends", t.ends);
}
template <typename V>
void fields(V& v, Of<ScoredPosition> auto& p) {
    v.required("stored", p.stored);
    v.required("chosen", p.chosen);
    v.optional("margin", p.margin);
    v.optional("top", p.top);
}
template <typename V>
void fields(V& v, Of<Error> auto& e) {
    v.required("code", e.code);
    v.required("message", e.message);
    v.sparse("id", e.id);
    v.sparse("arguments", e.arguments);
}
template <typename V>
void fields(V& v, Of<Recognition> auto& r) {
    v.required("kind", r.kind);
    v.required("path", r.path);
    v.required("sentence", r.sentence);
    v.required("actions", r.actions);
    v.optional("info", r.info);
    v.sparse("refusal", r.refusal);
}

template <typename V>
void fields(V& v, Of<Hello> auto& r) {
    v.required("version", r.version);
}
template <typename V>
void fields(V& v, Of<Inspect> auto& r) {
    v.required("path", r.path);
    v.optional("options", r.options);
}
template <typename V>
void fields(V& v, Of<Recognise> auto& r) {
    v.required("paths", r.paths);
    v.optional("options", r.options);
}
template <typename V>
void fields(V& v, Of<Import> auto& r) {
    v.required("path", r.path);
    v.required("folder", r.folder);
    v.required("name", r.name);
    v.required("quant", r.quant);
}
template <typename V>
void fields(V& v, Of<Load> auto& r) {
    v.required("path", r.path);
    v.optional("options", r.options);
}
template <typename V>
void fields(V&, Of<Unload> auto&) {}
template <typename V>
void fields(V& v, Of<Count> auto& r) {
    v.optional("text", r.text);
    v.optional("messages", r.messages);
    v.sparse("withIds", r.withIds);
    v.sparse("addSpecial", r.addSpecial);
}
template <typename V>
void fields(V& v, Of<Preview> auto& r) {
    v.required("request", r.request);
}
template <typename V>
void fields(V& v, Of<Generate> auto& r) {
    v.required("request", r.request);
}
template <typename V>
void fields(V& v, Of<Score> auto& r) {
    v.required("request", r.score.request);
    v.required("ids", r.score.ids);
    v.optional("from", r.score.from);
    v.optional("count", r.score.count);
    v.optional("top", r.score.top);
    v.optional("atByte", r.score.atByte);
}
template <typename V>
void fields(V& v, Of<Read> auto& r) {
    v.required("messages", r.reading.messages);
    v.required("keeper", r.reading.keeper);
    v.optional("promptForm", r.reading.promptForm);
}
template <typename V>
void fields(V& v, Of<Embed> auto& r) {
    v.required("model", r.model);
    v.required("texts", r.texts);
    v.sparse("whenIdle", r.whenIdle);
}
template <typename V>
void fields(V& v, Of<Cancel> auto& r) {
    v.required("target", r.target);
}
template <typename V>
void fields(V& v, Of<Retain> auto& r) {
    v.required("conversations", r.conversations);
    v.required("documents", r.documents);
}

template <typename V>
void fields(V&, Of<Devices> auto&) {}
template <typename V>
void fields(V&, Of<Computer> auto&) {}

template <typename V>
void fields(V& v, Of<HelloOk> auto& e) {
    v.required("version", e.version);
    v.optional("program", e.program);
}
template <typename V>
void fields(V& v, Of<Inspected> auto& e) {
    v.required("info", e.info);
}
template <typename V>
void fields(V& v, Of<Recognised> auto& e) {
    v.required("things", e.things);
}
template <typename V>
void fields(V& v, Of<Imported> auto& e) {
    v.required("path", e.path);
    v.optional("bytes", e.bytes);
}
template <typename V>
void fields(V& v, Of<Loaded> auto& e) {
    v.required("info", e.info);
    v.sparse("alsoLoaded", e.alsoLoaded);
}
template <typename V>
void fields(V&, Of<Released> auto&) {}
template <typename V>
void fields(V&, Of<Unloaded> auto&) {}
template <typename V>
void fields(V& v, Of<Counted> auto& e) {
    v.required("tokens", e.tokens);
    v.optional("room", e.room);
    v.sparse("ids", e.ids);
}
template <typename V>
void fields(V& v, Of<Previewed> auto& e) {
    v.required("plan", e.preview.plan);
    v.optional("room", e.preview.room);
    v.optional("partTokens", e.preview.partTokens);
    v.optional("text", e.preview.text);
}
template <typename V>
void fields(V&, Of<Retained> auto&) {}
template <typename V>
void fields(V&, Of<Protected> auto&) {}
template <typename V>
void fields(V&, Of<Protect> auto&) {}
template <typename V>
void fields(V& v, Of<DevicesListed> auto& e) {
    v.required("devices", e.list.devices);
    v.optional("note", e.list.note);
}
template <typename V>
void fields(V& v, Of<ComputerDescribed> auto& e) {
    v.required("info", e.info);
}
template <typename V>
void fields(V& v, Of<Progress> auto& e) {
    v.required("fraction", e.fraction);
    v.optional("phase", e.phase);
    v.optional("device", e.moved.device);
    v.optional("note", e.moved.note);
}
template <typename V>
void fields(V& v, Of<Planned> auto& e) {
    v.required("plan", e.plan);
}
template <typename V>
void fields(V& v, Of<Tokens> auto& e) {
    fields(v, e.chunk);
}
template <typename V>
void fields(V& v, Of<Done> auto& e) {
    v.required("result", e.result);
    v.optional("receipt", e.receipt);
}
template <typename V>
void fields(V& v, Of<Scored> auto& e) {
    v.required("promptHash", e.scores.promptHash);
    v.optional("from", e.scores.from);
    v.optional("before", e.scores.before);
    v.hexBytes("withheld", e.scores.withheld);
    v.required("positions", e.scores.positions);
    v.optional("receipt", e.receipt);
}
template <typename V>
void fields(V& v, Of<ReadCost> auto& c) {
    v.required("tokens", c.tokens);
    v.required("readTokens", c.readTokens);
    v.required("keptBytes", c.keptBytes);
}
template <typename V>
void fields(V& v, Of<ReadPlanned> auto& e) {
    fields(v, e.cost);
}
template <typename V>
void fields(V& v, Of<ReadDone> auto& e) {
    fields(v, e.cost);
}
template <typename V>
void fields(V& v, Of<Embedded> auto& e) {
    v.required("dim", e.dim);
    v.optional("tokens", e.tokens);
    v.hexBytes("rows", e.rows);
}
template <typename V>
void fields(V& v, Of<Failed> auto& e) {
    v.required("error", e.error);
    v.optional("memory", e.memory);
}

}  // namespace ingle::protocol
