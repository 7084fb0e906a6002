/// What `ingle prove` watches: what the window does with its programs when somebody talks to the guide about
/// a document.
#pragma once

#include <string>

#include "ingle/result.h"

namespace ingle::cli::prove {

/// Writes a document into `folder`, has `ingle-documents` read it, starts `ingle host` as the window does,
/// loads the model, has the document read ahead, and asks two questions in one conversation. Errors: those of
/// the programs; Io (no ending after some minutes).
Status converse(const std::string& model, const std::string& folder);

}  // namespace ingle::cli::prove
