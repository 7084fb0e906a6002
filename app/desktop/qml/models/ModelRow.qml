// One model of the library.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

T.ItemDelegate {
    id: row

    required property ModelListModel models
    required property string modelId
    required property string name
    required property string summary
    required property string path
    required property string failure
    required property bool current
    required property string spoken
    required property string speed

    readonly property string details: speed.length > 0 ? summary + " · " + speed : summary

    signal chosen

    height: implicitContentHeight + 2 * Theme.s
    leftPadding: Theme.m
    rightPadding: Theme.xs
    hoverEnabled: true
    highlighted: ListView.isCurrentItem && ListView.view.activeFocus
    Accessible.role: Accessible.ListItem
    Accessible.name: spoken
    Accessible.description: failure.length > 0 ? failure : details

    onClicked: {
        models.use(modelId);
        chosen();
    }
    Keys.onReturnPressed: clicked()
    Keys.onEnterPressed: clicked()
    Keys.onDeletePressed: models.forget(modelId)

    contentItem: RowLayout {
        spacing: Theme.m

        Icon {
            name: row.current ? "check" : "model"
            color: row.current ? Theme.accent : Theme.mutedText
        }
        ColumnLayout {
            Layout.fillWidth: true
            spacing: 2

            Text {
                Layout.fillWidth: true
                text: row.name
                textFormat: Text.PlainText
                color: Theme.text
                font.pixelSize: Theme.textSize
                elide: Text.ElideRight
            }
            Text {
                Layout.fillWidth: true
                text: row.failure.length > 0 ? row.failure : row.details
                textFormat: Text.PlainText
                color: row.failure.length > 0 ? Theme.danger : Theme.mutedText
                font.pixelSize: Theme.smallSize - 1
                wrapMode: Text.Wrap
                maximumLineCount: 3
                elide: Text.ElideRight
            }
            Text {
                Layout.fillWidth: true
                text: row.path
                textFormat: Text.PlainText
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize - 1
                elide: Text.ElideMiddle
            }
        }
        IconButton {
            iconName: "close"
            focusPolicy: Qt.NoFocus
            hint: qsTr("Forget this model (the file stays)")
            onClicked: row.models.forget(row.modelId)
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: row.hovered || row.highlighted ? Theme.hover : "transparent"

        FocusRing {
            shown: row.visualFocus || row.highlighted
        }
    }
}
