// What was deleted, and the way back.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Page {
    id: page

    required property AppModel app
    readonly property TrashModel trash: app.sidebar.trash

    function takeFocus() {
        list.forceActiveFocus();
    }

    objectName: "trashPage"
    title: qsTr("Trash")
    Component.onCompleted: trash.refresh()

    ColumnLayout {
        id: body

        property bool asking: false

        anchors.fill: parent
        anchors.leftMargin: page.margin
        anchors.rightMargin: page.margin
        anchors.bottomMargin: Theme.l
        spacing: Theme.m

        Text {
            textFormat: Text.PlainText
            Layout.fillWidth: true
            text: page.trash.sentence
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        ListView {
            id: list
            objectName: "trashList"
            Layout.fillWidth: true
            Layout.fillHeight: true
            focus: true
            visible: count > 0
            clip: true
            spacing: Theme.xs
            boundsBehavior: Flickable.StopAtBounds
            model: page.trash
            Accessible.role: Accessible.List
            Accessible.name: page.title
            T.ScrollBar.vertical: ScrollThumb {}
            delegate: RowLayout {
                id: row

                required property int index
                required property string title
                required property string detail

                width: list.width - (list.contentHeight > list.height ? Theme.m : 0)  // beside the scroll bar
                spacing: Theme.m

                ColumnLayout {
                    Layout.fillWidth: true
                    spacing: 0

                    Text {
                        textFormat: Text.PlainText
                        Layout.fillWidth: true
                        text: row.title
                        color: Theme.text
                        font.pixelSize: Theme.smallSize
                        elide: Text.ElideRight
                    }
                    Text {
                        textFormat: Text.PlainText
                        Layout.fillWidth: true
                        text: row.detail
                        color: Theme.mutedText
                        font.pixelSize: Theme.smallSize - 1
                        elide: Text.ElideRight
                    }
                }
                TextButton {
                    objectName: "restore-" + row.index
                    text: qsTr("Restore")
                    Accessible.name: qsTr("Restore %1").arg(row.title)
                    onClicked: page.trash.restore(row.index)
                }
            }
        }
        Item {
            Layout.fillHeight: true
            visible: !list.visible
        }
        RowLayout {
            Layout.fillWidth: true
            visible: page.trash.count > 0
            spacing: Theme.s

            Text {
                textFormat: Text.PlainText
                Layout.fillWidth: true
                text: body.asking ? qsTr("This cannot be undone.") : ""
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
                wrapMode: Text.Wrap
            }
            TextButton {
                objectName: "emptyTrash"
                text: body.asking ? qsTr("Delete for good") : qsTr("Empty the trash")
                prominent: body.asking
                onClicked: {
                    if (body.asking)
                        page.trash.empty();
                    body.asking = !body.asking;
                }
            }
        }
    }
}
