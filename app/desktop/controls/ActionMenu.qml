// A menu of what can be done to one thing.
import QtQuick
import Inglenook

PopupMenu {
    id: actionMenu

    required property Actions actions
    /// As Actions hands them out.
    property var listed: []
    property double target

    Instantiator {
        model: actionMenu.listed
        delegate: PopupMenuItem {
            required property var modelData

            iconName: modelData.icon
            text: modelData.words
            onTriggered: actionMenu.actions.run(modelData.id, actionMenu.target)
        }
        onObjectAdded: (index, object) => actionMenu.insertItem(index, object as PopupMenuItem)
        onObjectRemoved: (index, object) => actionMenu.removeItem(object as PopupMenuItem)
    }
}
