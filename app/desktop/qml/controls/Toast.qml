// A short message that goes by itself, sometimes with a way back.
import QtQuick
import QtQuick.Layouts
import Inglenook

Rectangle {
    id: toast

    required property AppModel app
    readonly property Notices notices: app.notices

    anchors.horizontalCenter: parent.horizontalCenter
    anchors.bottom: parent.bottom
    anchors.bottomMargin: 110
    width: Math.min(row.implicitWidth + Theme.l + Theme.s, parent.width - 2 * Theme.l)
    height: 46
    radius: Theme.radius
    visible: notices.toast.length > 0
    color: Theme.text
    z: 1

    RowLayout {
        id: row
        anchors.fill: parent
        anchors.leftMargin: Theme.l
        anchors.rightMargin: Theme.s
        spacing: Theme.m

        Text {
            Layout.fillWidth: true
            text: toast.notices.toast
            textFormat: Text.PlainText
            color: Theme.window
            font.pixelSize: Theme.smallSize
            elide: Text.ElideRight
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
        }
        TextButton {
            objectName: "undoButton"
            visible: toast.notices.canUndo
            text: qsTr("Undo")
            prominent: true
            onClicked: toast.notices.undo()
        }
        IconButton {
            visible: !toast.notices.canUndo
            iconName: "close"
            tint: Theme.window
            hint: qsTr("Dismiss")
            onClicked: toast.notices.dismissToast()
        }
    }
    Timer {
        id: life
        interval: 8000
        onTriggered: toast.notices.dismissToast()
    }
    Connections {
        target: toast.notices
        function onToastChanged() {
            life.restart();
        }
    }
}
