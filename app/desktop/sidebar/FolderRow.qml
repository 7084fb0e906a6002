// A folder in the sidebar, or the archive: folds what is in it.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

T.ItemDelegate {
    id: row

    required property ConversationListModel conversations
    required property int index
    /// 0: the archive.
    required property double folder
    required property string title
    required property int count
    required property bool open
    required property bool menuOpen
    property bool renaming: false

    signal menuRequested(Item at, real x, real y)

    function startRenaming() {
        // A list that gets the keyboard gives it to its current row.
        ListView.view.currentIndex = index;
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
            conversations.renameFolder(folder, nameField.text);
        row.forceActiveFocus();
    }

    objectName: "folder-" + folder
    height: Theme.controlSize + Theme.xs
    hoverEnabled: true
    highlighted: ListView.isCurrentItem && ListView.view.activeFocus
    Accessible.role: Accessible.ListItem
    Accessible.name: qsTr("%1, %2 conversations, %3").arg(title).arg(count).arg(open ? qsTr("open") : qsTr("closed"))

    onClicked: conversations.setOpen(folder, !open)
    Keys.onReturnPressed: clicked()
    Keys.onEnterPressed: clicked()
    Keys.onRightPressed: conversations.setOpen(folder, true)
    Keys.onLeftPressed: conversations.setOpen(folder, false)
    Keys.onMenuPressed: menuRequested(row, width / 2, height)
    Keys.onPressed: event => {
        event.accepted = event.key === Qt.Key_F2 && folder > 0;
        if (event.accepted)
            startRenaming();
    }

    contentItem: RowLayout {
        visible: !row.renaming
        spacing: Theme.s

        Icon {
            Layout.leftMargin: Theme.m
            Layout.rightMargin: -Theme.xs
            Layout.preferredWidth: Theme.iconSize(15)
            Layout.preferredHeight: Theme.iconSize(15)
            name: row.open ? "chevron-down" : "chevron-right"
            color: Theme.mutedText
        }
        Icon {
            Layout.preferredWidth: Theme.iconSize(17)
            Layout.preferredHeight: Theme.iconSize(17)
            name: row.folder > 0 ? "folder" : "archive"
            color: Theme.mutedText
        }
        Text {
            Layout.fillWidth: true
            text: row.title
            textFormat: Text.PlainText
            color: Theme.text
            font.pixelSize: Theme.smallSize
            elide: Text.ElideRight
        }
        Text {
            Layout.rightMargin: Theme.l
            opacity: moreButton.visible ? 0 : 1
            text: row.count
            textFormat: Text.PlainText
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize - 1
        }
    }
    background: Rectangle {
        x: Theme.s
        width: row.width - 2 * Theme.s
        height: row.height
        radius: Theme.radius
        color: row.hovered || row.highlighted ? Theme.hover : "transparent"

        FocusRing {
            shown: row.visualFocus || row.highlighted
        }
    }

    InputField {
        id: nameField
        objectName: "folderName"
        anchors.fill: parent
        anchors.margins: 2
        anchors.leftMargin: Theme.s
        anchors.rightMargin: Theme.s
        visible: row.renaming
        label: qsTr("Name of the folder")
        Keys.onReturnPressed: row.finishRenaming(true)
        Keys.onEnterPressed: row.finishRenaming(true)
        Keys.onEscapePressed: row.finishRenaming(false)
        onActiveFocusChanged: if (!activeFocus) row.finishRenaming(true)
    }
    IconButton {
        id: moreButton
        anchors.right: parent.right
        anchors.rightMargin: Theme.s
        anchors.verticalCenter: parent.verticalCenter
        visible: row.folder > 0 && (row.hovered || row.menuOpen) && !row.renaming
        focusPolicy: Qt.NoFocus
        iconName: "more"
        hint: qsTr("More actions")
        onClicked: row.menuRequested(moreButton, 0, moreButton.height)
    }
    MouseArea {
        anchors.fill: parent
        acceptedButtons: Qt.RightButton
        enabled: row.folder > 0
        onClicked: mouse => row.menuRequested(row, mouse.x, mouse.y)
    }
}
