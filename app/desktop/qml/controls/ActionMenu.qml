// A menu of what can be done to one thing.
import QtQuick
import Inglenook

PopupMenu {
    id: menu

    required property Actions actions
    /// As Actions hands them out.
    property var listed: []
    property double target

    Instantiator {
        model: menu.listed
        delegate: PopupMenuItem {
            required property var modelData

            iconName: modelData.icon
            text: modelData.words
            onTriggered: menu.actions.run(modelData.id, menu.target)
        }
        onObjectAdded: (index, object) => menu.insertItem(index, object as PopupMenuItem)
        onObjectRemoved: (index, object) => menu.removeItem(object as PopupMenuItem)
    }
}
