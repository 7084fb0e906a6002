/// The fields of a profile as a person sets them.
#pragma once

#include <QString>
#include <QVariantMap>

#include <optional>
#include <span>

#include "app/history/chats/profile.h"

namespace ingle::desktop {

struct ProfileChoice {
    const char* value;
    const char* name;
};

/// Under the name of the profile's field, but that the form of answers is a choice and a text.
struct ProfileField {
    const char* key;
    const char* name;
    const char* kind;  ///< "text", "code", "number" or "choice"
    std::span<const ProfileChoice> choices = {};
    const char* none = "";    ///< what an empty text is called where it may be set
    double from = 0, to = 0;  ///< of a number
    int decimals = 0;
};

/// In the order in which they are shown.
std::span<const ProfileField> profileFields();
/// For QML, in the language of the window.
QVariantMap mapOf(const ProfileField& field);

/// As a person writes it, or a choice's value; nothing: not set.
std::optional<QString> profileValue(const history::Profile& profile, const QString& key);
/// A text that is none sets nothing.
void setProfileValue(history::Profile& profile, const QString& key, const QString& value);

}  // namespace ingle::desktop
