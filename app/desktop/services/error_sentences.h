/// What an error says to people, in the language of the window.
#pragma once

#include <QString>

#include "ingle/result.h"

namespace ingle::desktop {

/// One sentence; the engine's own words where there is none for people.
QString errorSentence(const Error& error);
/// The engine's own words where errorSentence() says it otherwise; else empty.
QString errorDetails(const Error& error);

}  // namespace ingle::desktop
