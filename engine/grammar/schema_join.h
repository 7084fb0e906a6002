/// Schemas that hold together, as one.
#pragma once

#include <string>
#include <vector>

#include "engine/grammar/schema_document.h"

namespace ingle::grammar {

/// What several schemas ask for together.
struct JoinedSchema {
    using Json = SchemaDocument::Json;

    Json keywords = Json::object();  ///< without those that combine schemas
    std::vector<Json> alternatives;  ///< of each of these lists, one schema has to hold beside
    bool isNever = false;            ///< no value follows them
    bool isLoose = false;            ///< more follow `keywords` than follow the schemas
};

/// Adds what `schema` asks for. `budget` is reduced by the schemas that this looks at. Errors:
/// InvalidArgument, where it is used up, or a reference goes round in a circle.
Status join(JoinedSchema& into, const SchemaDocument::Json& schema, const SchemaDocument& document,
            const std::string& place, size_t& budget);

/// Whether no value that is written for one of these schemas follows another one of them.
bool excludeEachOther(const SchemaDocument::Json& schemas, const SchemaDocument& document);

}  // namespace ingle::grammar
