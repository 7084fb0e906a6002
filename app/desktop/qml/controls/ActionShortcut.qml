// The keys of an action.
import QtQuick
import Inglenook

Shortcut {
    required property var modelData
    required property Actions actions

    sequences: modelData.sequences
    // Read only because it tells that the answer may be another one now.
    enabled: actions.revision >= 0 && actions.can(modelData.id)
    onActivated: actions.run(modelData.id)
}
