/// The fields of the engine's plain data (engine/include), stated once for every format that has them.
#pragma once

#include "app/codec/codec.h"
#include "ingle/pictures.h"
#include "ingle/reading.h"
#include "ingle/receipt.h"
#include "ingle/recognition.h"
#include "ingle/score.h"
#include "ingle/types.h"

namespace ingle {

template <typename V>
void fields(V& v, codec::Of<Part> auto& p) {
    v.required("kind", p.kind);
    v.required("text", p.text);
    v.sparse("data", p.data);
    v.sparse("id", p.id);
}
template <typename V>
void fields(V& v, codec::Of<PartPiece> auto& p) {
    v.required("kind", p.kind);
    v.required("text", p.text);
    v.sparse("data", p.data);
    v.sparse("begins", p.begins);
    v.sparse("id", p.id);
}
template <typename V>
void fields(V& v, codec::Of<ChatMessage> auto& m) {
    v.required("role", m.role);
    v.required("parts", m.parts);
    v.sparse("fromDeveloper", m.fromDeveloper);
    v.sparse("name", m.name);
}
template <typename V>
void fields(V& v, codec::Of<LogitBias> auto& b) {
    v.required("id", b.id);
    v.required("bias", b.bias);
}
/// Every parameter that is one number, but the seed.
template <typename V>
void numberFields(V& v, codec::Of<SamplerParams> auto& p) {
    v.optional("temperature", p.temperature);
    v.optional("topK", p.topK);
    v.optional("typicalP", p.typicalP);
    v.optional("topP", p.topP);
    v.optional("minP", p.minP);
    v.optional("repeatPenalty", p.repeatPenalty);
    v.optional("frequencyPenalty", p.frequencyPenalty);
    v.optional("presencePenalty", p.presencePenalty);
    v.optional("lastN", p.lastN);
    v.sparse("topNSigma", p.topNSigma);
    v.sparse("xtcProbability", p.xtcProbability);
    v.sparse("xtcThreshold", p.xtcThreshold, SamplerParams{}.xtcThreshold);
    v.sparse("dryMultiplier", p.dryMultiplier);
    v.sparse("dryBase", p.dryBase, SamplerParams{}.dryBase);
    v.sparse("dryAllowed", p.dryAllowed, SamplerParams{}.dryAllowed);
    v.sparse("dryLastN", p.dryLastN, SamplerParams{}.dryLastN);
}
template <typename V>
void fields(V& v, codec::Of<SamplerParams> auto& p) {
    numberFields(v, p);
    v.sparse("dryBreakers", p.dryBreakers);
    v.optional("logitBias", p.logitBias);
    v.optional("seed", p.seed);
}
template <typename V>
void fields(V& v, codec::Of<LoadOptions> auto& o) {
    v.optional("backend", o.backend);
    v.optional("device", o.device);
    v.sparse("deviceBytes", o.deviceBytes);
    v.optional("threads", o.threads);
    v.optional("contextTokens", o.contextTokens);
    v.optional("kv", o.kv);
    v.sparse("kvMemory", o.kvMemory);
    v.optional("activations", o.activations);
    v.optional("fuse", o.fuse);
    v.optional("referenceKernels", o.referenceKernels);
    v.optional("loadAnyway", o.loadAnyway);
    v.optional("crashedProcess", o.crashedProcess);
    v.optional("overrides", o.overrides);
    v.sparse("draft", o.draft);
    v.sparse("visionFile", o.visionFile);
}
template <typename V>
void fields(V& v, codec::Of<FitChoice> auto& c) {
    v.required("remedy", c.remedy);
    v.optional("contextTokens", c.contextTokens);
    v.optional("kv", c.kv);
    v.optional("quant", c.quant);
    v.optional("needBytes", c.needBytes);
}
template <typename V>
void fields(V& v, codec::Of<MemoryEstimate> auto& m) {
    v.required("weightBytes", m.weightBytes);
    v.required("cacheBytes", m.cacheBytes);
    v.required("workBytes", m.workBytes);
    v.optional("mostBytes", m.mostBytes);
    v.optional("availableBytes", m.availableBytes);
    v.optional("usableBytes", m.usableBytes);
    v.optional("choices", m.choices);
}
template <typename V>
void fields(V& v, codec::Of<ModelInfo> auto& i) {
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
    v.sparse("seesPictures", i.seesPictures);
    v.sparse("visionFile", i.visionFile);
    v.sparse("visionFiles", i.visionFiles);
    v.sparse("visionTrouble", i.visionTrouble);
}
template <typename V>
void fields(V& v, codec::Of<SeenTile> auto& t) {
    v.required("left", t.left);
    v.required("top", t.top);
    v.required("width", t.width);
    v.required("height", t.height);
    v.required("seenWidth", t.seenWidth);
    v.required("seenHeight", t.seenHeight);
    v.required("tokens", t.tokens);
}
template <typename V>
void fields(V& v, codec::Of<PictureFacts> auto& p) {
    v.required("hash", p.hash);
    v.required("width", p.width);
    v.required("height", p.height);
    v.required("tokens", p.tokens);
    v.optional("tiles", p.tiles);
}
template <typename V>
void fields(V& v, codec::Of<DeviceEntry> auto& d) {
    v.required("name", d.name);
    v.required("kind", d.kind);
    v.optional("memoryBytes", d.memoryBytes);
    v.optional("driver", d.driver);
    v.required("use", d.use);
    v.optional("refusal", d.refusal);
}
template <typename V>
void fields(V& v, codec::Of<ComputerInfo> auto& c) {
    v.optional("processor", c.processor);
    v.optional("threads", c.threads);
    v.required("installedBytes", c.installedBytes);
    v.required("usableBytes", c.usableBytes);
    v.required("availableBytes", c.availableBytes);
    v.optional("readBytesPerSecond", c.readBytesPerSecond);
}
template <typename V>
void fields(V& v, codec::Of<PromptForm> auto& f) {
    v.sparse("chatTemplate", f.chatTemplate);
    v.optional("thinking", f.thinking);
    v.sparse("tools", f.tools);
    v.sparse("templateArguments", f.templateArguments);
}
template <typename V>
void fields(V& v, codec::Of<GenerateRequest> auto& r) {
    v.optional("messages", r.messages);
    v.optional("pinned", r.pinned);
    v.optional("sampler", r.sampler);
    v.optional("maxTokens", r.maxTokens);
    v.optional("stops", r.stops);
    v.optional("resumeIds", r.resumeIds);
    v.sparse("resumeText", r.resumeText);
    v.optional("conversation", r.conversation);
    v.optional("rawPrompt", r.rawPrompt);
    v.optional("rawTokens", r.rawTokens);
    v.sparse("idsAreText", r.idsAreText);
    v.sparse("grammar", r.grammar);
    v.sparse("jsonSchema", r.jsonSchema);
    v.optional("whenFull", r.whenFull);
    v.optional("contextTokens", r.contextTokens);
    v.optional("promptForm", r.promptForm);
    v.optional("guesses", r.guesses);
    v.sparse("chances", r.chances);
}
template <typename V>
void fields(V& v, codec::Of<PromptPlan> auto& p) {
    v.required("kept", p.kept);
    v.required("dropped", p.dropped);
    v.required("promptTokens", p.promptTokens);
    v.required("contextTokens", p.contextTokens);
    v.required("promptHash", p.promptHash);
    v.optional("note", p.note);
}
template <typename V>
void fields(V& v, codec::Of<TokenChances> auto& c) {
    v.required("chosen", c.chosen);
    v.required("top", c.top);
}
template <typename V>
void fields(V& v, codec::Of<TokenChunk> auto& c) {
    v.required("ids", c.ids);
    v.required("pieces", c.pieces);
    v.sparse("chances", c.chances);
}
/// Calls `each` for every field: where an answer has them beside others, they are sparse.
void forEachStat(codec::Of<GenerateStats> auto& s, auto&& each) {
    each("promptTokens", s.promptTokens);
    each("cachedTokens", s.cachedTokens);
    each("newTokens", s.newTokens);
    each("prefillMs", s.prefillMs);
    each("decodeMs", s.decodeMs);
    each("guessedTokens", s.guessedTokens);
    each("takenTokens", s.takenTokens);
}
template <typename V>
void fields(V& v, codec::Of<GenerateStats> auto& s) {
    forEachStat(s, [&v](const char* name, auto& field) { v.optional(name, field); });
}
template <typename V>
void fields(V& v, codec::Of<GenerateResult> auto& r) {
    v.required("reason", r.reason);
    v.optional("stats", r.stats);
    v.optional("tail", r.tail);
    v.optional("withheld", codec::as<codec::Hex>(r.withheld));
    v.sparse("unfinished", r.unfinished);
    v.sparse("violation", r.violation);
}
template <typename V>
void fields(V& v, codec::Of<Receipt> auto& r) {
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
void fields(V& v, codec::Of<ScoredToken> auto& t) {
    v.required("id", t.id);
    v.required("text", t.text);
    v.optional("p", t.p);
    v.sparse("ends", t.ends);
}
template <typename V>
void fields(V& v, codec::Of<ScoredPosition> auto& p) {
    v.required("stored", p.stored);
    v.required("chosen", p.chosen);
    v.optional("margin", p.margin);
    v.optional("top", p.top);
}
template <typename V>
void fields(V& v, codec::Of<Error> auto& e) {
    v.required("code", e.code);
    v.required("message", e.message);
    v.sparse("id", e.id);
    v.sparse("arguments", e.arguments);
}
template <typename V>
void fields(V& v, codec::Of<Recognition> auto& r) {
    v.required("kind", r.kind);
    v.required("path", r.path);
    v.required("sentence", r.sentence);
    v.required("actions", r.actions);
    v.optional("info", r.info);
    v.sparse("refusal", r.refusal);
}
template <typename V>
void fields(V& v, codec::Of<ReadCost> auto& c) {
    v.required("tokens", c.tokens);
    v.required("readTokens", c.readTokens);
    v.required("keptBytes", c.keptBytes);
}

}  // namespace ingle
