/// What an error says to people, in the language of the window.
#pragma once

#include <QString>

#include <string>
#include <vector>

#include "ingle/result.h"

namespace ingle::desktop {

/// One sentence; the engine's own words where there is none for people.
QString errorSentence(const Error& error);
/// The engine's own words where errorSentence() says it otherwise; else empty.
QString errorDetails(const Error& error);

/// An error as it was stored; its code matters to nobody any more.
Error storedError(const std::string& message, const std::string& id,
                  const std::vector<std::string>& arguments);

}  // namespace ingle::desktop
