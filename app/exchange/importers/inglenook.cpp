/// Our own export (docs/export-format.md).
#include "app/exchange/conversation_json.h"
#include "app/exchange/foreign_file.h"
#include "app/exchange/importer.h"
#include "app/exchange/json_text.h"

namespace ingle::exchange::inglenook_importer {
namespace {

bool recognises(const Source& source) {
    return source.beginning.find("\"format\":\"" + std::string(kFormatName) + "\"") < 64;
}

Status translate(const Source& source, Taker& taker) {
    INGLE_TRY_ASSIGN(const std::string text, contentOf(source.path));
    return forEachElement(text, [&](std::string_view key, const nlohmann::json& value) -> Status {
        if (key == "version" && value != kFormatVersion) {
            return fail(ErrorCode::Unsupported, "A newer version of Inglenook has written this export.");
        }
        if (key == "folders") {
            INGLE_TRY_ASSIGN(const auto folder, readAs<history::PortableFolder>(value));
            return taker.folder(folder);
        }
        if (key == "profiles") {
            INGLE_TRY_ASSIGN(const auto profile, readAs<history::PortableProfile>(value));
            return taker.profile(profile);
        }
        if (key == "documents") {
            INGLE_TRY_ASSIGN(const auto document, readAs<history::PortableDocument>(value));
            return taker.document(document);
        }
        if (key == "conversations") {
            INGLE_TRY_ASSIGN(auto conversation, readAs<history::PortableConversation>(value));
            return taker.conversation(std::move(conversation));
        }
        return {};
    });
}

}  // namespace

extern const Importer importer{
    .origin = "", .program = "Inglenook", .recognises = recognises, .translate = translate};

}  // namespace ingle::exchange::inglenook_importer
