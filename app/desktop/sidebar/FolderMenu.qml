// Where conversations are moved to: a folder, a new one, or none.
import QtQuick
import Inglenook

PopupMenu {
    id: folderMenu

    required property ConversationListModel conversations
    required property Folders folders
    property double target

    function openFor(conversation: double, at: Item, x: real, y: real) {
        target = conversation;
        popup(at, x, y);
    }

    objectName: "folderMenu"

    Instantiator {
        model: folderMenu.folders.all
        delegate: PopupMenuItem {
            required property var modelData

            objectName: "into-" + modelData.id
            iconName: "folder"
            text: modelData.name
            onTriggered: folderMenu.conversations.moveTo(folderMenu.target, modelData.id)
        }
        onObjectAdded: (index, object) => folderMenu.insertItem(index, object as PopupMenuItem)
        onObjectRemoved: (index, object) => folderMenu.removeItem(object as PopupMenuItem)
    }
    PopupMenuItem {
        objectName: "intoNewFolder"
        iconName: "plus"
        text: qsTr("New folder…")
        onTriggered: folderMenu.conversations.moveToNewFolder(folderMenu.target, qsTr("New folder"))
    }
    PopupMenuItem {
        objectName: "intoNoFolder"
        iconName: "close"
        text: qsTr("No folder")
        onTriggered: folderMenu.conversations.moveTo(folderMenu.target, 0)
    }
}
