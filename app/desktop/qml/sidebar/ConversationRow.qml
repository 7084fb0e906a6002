// One conversation in the sidebar, or one place a search found.
import QtQuick
import QtQuick.Templates as T
import Inglenook

T.ItemDelegate {
    id: row

    required property AppModel app
    required property double conversationId
    required property string title
    required property string snippet
    required property bool pinned
    readonly property bool shown: app.chat.conversationId === conversationId
    property bool renaming: false

    signal chosen

    function startRenaming() {
        nameField.text = title;
        renaming = true;
        nameField.forceActiveFocus();
        nameField.selectAll();
    }
    function finishRenaming(accepted: bool) {
        if (!renaming)
            return;
        renaming = false;
        if (accepted)
            app.conversations.rename(conversationId, nameField.text);
        row.forceActiveFocus();
    }

    height: snippet.length > 0 ? 58 : 38
    hoverEnabled: true
    highlighted: ListView.isCurrentItem && ListView.view.activeFocus
    Accessible.role: Accessible.ListItem
    Accessible.name: pinned ? qsTr("%1, pinned").arg(title) : title

    onClicked: {
        app.chat.open(conversationId);
        chosen();
    }
    Keys.onReturnPressed: clicked()
    Keys.onEnterPressed: clicked()
    Keys.onDeletePressed: app.conversations.remove(conversationId)
    Keys.onMenuPressed: menu.popup()

    contentItem: Item {
        Text {
            x: Theme.l
            y: row.snippet.length > 0 ? Theme.s : (parent.height - height) / 2
            width: parent.width - 2 * Theme.l - (moreButton.visible || row.pinned ? Theme.xl : 0)
            visible: !row.renaming
            text: row.title
            textFormat: Text.PlainText
            color: Theme.text
            font.pixelSize: Theme.smallSize
            font.weight: row.shown ? Font.DemiBold : Font.Normal
            elide: Text.ElideRight
        }
        Text {
            x: Theme.l
            anchors.bottom: parent.bottom
            anchors.bottomMargin: Theme.s
            width: parent.width - 2 * Theme.l
            visible: row.snippet.length > 0
            text: row.snippet
            textFormat: Text.StyledText
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize - 1
            maximumLineCount: 1
            elide: Text.ElideRight
        }
    }
    background: Rectangle {
        x: Theme.s
        width: row.width - 2 * Theme.s
        height: row.height
        radius: Theme.radius
        color: row.shown ? Theme.pressed : row.hovered || row.highlighted ? Theme.hover : "transparent"

        FocusRing {
            shown: row.visualFocus || row.highlighted
        }
    }

    InputField {
        id: nameField
        anchors.fill: parent
        anchors.margins: 2
        anchors.leftMargin: Theme.s
        anchors.rightMargin: Theme.s
        visible: row.renaming
        label: qsTr("New title")
        onAccepted: row.finishRenaming(true)
        Keys.onEscapePressed: row.finishRenaming(false)
        onActiveFocusChanged: if (!activeFocus) row.finishRenaming(true)
    }
    Icon {
        anchors.right: parent.right
        anchors.rightMargin: Theme.m
        anchors.verticalCenter: parent.verticalCenter
        width: 15
        height: 15
        name: "pin"
        color: Theme.mutedText
        visible: row.pinned && !moreButton.visible && !row.renaming
    }

    // Beside the content, so that a click on it is not a click on the row.
    IconButton {
        id: moreButton
        anchors.right: parent.right
        anchors.rightMargin: Theme.s
        anchors.verticalCenter: parent.verticalCenter
        visible: (row.hovered || menu.visible) && !row.renaming
        focusPolicy: Qt.NoFocus
        iconName: "more"
        hint: qsTr("More actions")
        onClicked: menu.popup(moreButton, 0, moreButton.height)
    }
    TapHandler {
        acceptedButtons: Qt.RightButton
        onTapped: menu.popup()
    }

    PopupMenu {
        id: menu

        PopupMenuItem {
            iconName: "pencil"
            text: qsTr("Rename")
            onTriggered: row.startRenaming()
        }
        PopupMenuItem {
            iconName: "pin"
            text: row.pinned ? qsTr("Unpin") : qsTr("Pin")
            onTriggered: row.app.conversations.setPinned(row.conversationId, !row.pinned)
        }
        PopupMenuItem {
            iconName: "trash"
            text: qsTr("Delete")
            onTriggered: row.app.conversations.remove(row.conversationId)
        }
    }

    Connections {
        target: row.app.conversations
        function onRenameRequested(conversation) {
            if (conversation === row.conversationId)
                row.startRenaming();
        }
    }
}
