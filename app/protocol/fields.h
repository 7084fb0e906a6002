/// The fields of every message of the protocol. Private to app/protocol.
#pragma once

#include "app/codec/engine_fields.h"
#include "app/protocol/messages.h"

namespace ingle::protocol {

using codec::Of;

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
void fields(V& v, Of<Count> auto& r) {
    v.optional("text", r.text);
    v.optional("messages", r.messages);
    v.sparse("withIds", r.withIds);
    v.sparse("addSpecial", r.addSpecial);
    v.sparse("ids", r.ids);
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
void fields(V& v, Of<Picture> auto& r) {
    v.required("hash", r.hash);
    v.sparse("bytes", codec::as<codec::Base64>(r.bytes));
}
template <typename V>
void fields(V& v, Of<Embed> auto& r) {
    v.required("model", r.model);
    v.required("texts", r.texts);
    v.sparse("whenIdle", r.whenIdle);
    v.sparse("use", r.use);
    v.sparse("dimensions", r.dimensions);
    v.sparse("query", r.query);
    v.sparse("refusesLong", r.refusesLong);
    v.sparse("ids", r.ids);
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
void fields(V& v, Of<Counted> auto& e) {
    v.required("tokens", e.tokens);
    v.optional("room", e.room);
    v.sparse("ids", e.ids);
    v.sparse("text", e.text);
}
template <typename V>
void fields(V& v, Of<Previewed> auto& e) {
    v.required("plan", e.preview.plan);
    v.optional("room", e.preview.room);
    v.optional("partTokens", e.preview.partTokens);
    v.optional("text", e.preview.text);
}
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
    v.optional("withheld", codec::as<codec::Hex>(e.scores.withheld));
    v.required("positions", e.scores.positions);
    v.optional("receipt", e.receipt);
}
template <typename V>
void fields(V& v, Of<PictureTaken> auto& e) {
    fields(v, e.facts);
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
    v.optional("rows", codec::as<codec::Hex>(e.rows));
}
template <typename V>
void fields(V& v, Of<Failed> auto& e) {
    v.required("error", e.error);
    v.optional("memory", e.memory);
}

}  // namespace ingle::protocol
